// Arithmetic that gives the same last digits as numpy: sums by pairs, and its random numbers.

function sumOf(values, begin = 0, end = values.length) {
  const n = end - begin;
  if (n < 8) {
    let sum = 0;
    for (let i = begin; i < end; i++) sum += values[i];
    return sum;
  }
  if (n <= 128) {
    const r = Array.from(values.slice(begin, begin + 8));
    const full = begin + n - (n % 8);
    for (let i = begin + 8; i < full; i += 8) for (let k = 0; k < 8; k++) r[k] += values[i + k];
    let sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    for (let i = full; i < end; i++) sum += values[i];
    return sum;
  }
  let half = Math.floor(n / 2);
  half -= half % 8;
  return sumOf(values, begin, begin + half) + sumOf(values, begin + half, end);
}

function varianceOf(values, begin, end) {
  const n = end - begin, mean = sumOf(values, begin, end) / n, squares = new Float64Array(n);
  for (let i = 0; i < n; i++) squares[i] = (values[begin + i] - mean) ** 2;
  return sumOf(squares) / n;
}

function spreadOf(sorted, begin, end) { // of equal values rounding must leave no trace
  return sorted[begin] === sorted[end - 1] ? 0 : varianceOf(sorted, begin, end);
}

// Numbers of twice the digits, for the running sums that Python keeps in extended precision.
function addTwo([a, x], [b, y]) {
  const s = a + b, t = s - a, e = (a - (s - t)) + (b - t) + x + y, high = s + e;
  return [high, e - (high - s)];
}

function squareTwo(a) {
  const c = 134217729 * a, high = c - (c - a), low = a - high, p = a * a;
  return [p, high * high - p + 2 * high * low + low * low];
}

function multiplyTwo([a, x], [b, y]) {
  const c = 134217729 * a, ah = c - (c - a), al = a - ah;
  const d = 134217729 * b, bh = d - (d - b), bl = b - bh, p = a * b;
  const e = ah * bh - p + ah * bl + al * bh + al * bl + a * y + x * b, high = p + e;
  return [high, e - (high - p)];
}

function divideTwo(a, n) {
  const q = a[0] / n, rest = addTwo(a, multiplyTwo([-q, 0], [n, 0]));
  const r = (rest[0] + rest[1]) / n, high = q + r;
  return [high, r - (high - q)];
}

function lowerBound(values, value, begin = 0, end = values.length) {
  while (begin < end) {
    const middle = (begin + end) >> 1;
    if (values[middle] < value) begin = middle + 1; else end = middle;
  }
  return begin;
}

function upperBound(values, value, begin = 0, end = values.length) {
  while (begin < end) {
    const middle = (begin + end) >> 1;
    if (values[middle] <= value) begin = middle + 1; else end = middle;
  }
  return begin;
}

const MASK64 = (1n << 64n) - 1n, MASK128 = (1n << 128n) - 1n;
const STEP = 0x2360ED051FC65DA44385DF649FCCF645n;

class Draws {
  // numpy's generator PCG64 from a state that Python gives.
  constructor(seed) {
    [this.state, this.inc] = DATA.streams[seed].map(BigInt);
    this.kept = null;
  }

  next64() {
    this.state = (this.state * STEP + this.inc) & MASK128;
    const high = this.state >> 64n, mixed = (high ^ this.state) & MASK64, turn = high >> 58n;
    return ((mixed >> turn) | (mixed << ((64n - turn) & 63n))) & MASK64;
  }

  next32() {
    if (this.kept !== null) {
      const kept = this.kept;
      this.kept = null;
      return kept;
    }
    const both = this.next64();
    this.kept = both >> 32n;
    return both & 0xffffffffn;
  }

  below(limit) {
    // A whole number from 0 and below a limit of at most 2**32 - 1.
    if (limit === 1) return 0;
    const most = BigInt(limit), least = (0x100000000n - most) % most;
    let product = this.next32() * most;
    while ((product & 0xffffffffn) < least) product = this.next32() * most;
    return Number(product >> 32n);
  }

  random() {
    return Number(this.next64() >> 11n) / 9007199254740992;
  }

  choice(n, size) {
    // Some of n things, each once, in any order.
    return n > 10000 && size > Math.floor(n / 50) ? this.tail(n, size) : this.floyd(n, size);
  }

  tail(n, size) {
    const all = Int32Array.from({ length: n }, (_, i) => i);
    for (let i = n - 1; i >= Math.max(n - size, 1); i--) {
      const j = this.below(i + 1), kept = all[j];
      all[j] = all[i];
      all[i] = kept;
    }
    return all.subarray(n - size);
  }

  floyd(n, size) {
    const found = new Set();
    for (let j = n - size; j < n; j++) {
      const drawn = this.below(j + 1);
      found.add(found.has(drawn) ? j : drawn);
    }
    return [...found];
  }
}
