// How much the published values near hers differ, by each criterion.

const DIRECTIONS = {
  "variance": "more than", "robust variance": "more than", "distinct": "at least",
  "entropy": "at least", "packing": "at least", "t-closeness": "at most",
};

function holds(criterion, diversity, required) {
  const direction = DIRECTIONS[criterion.name];
  if (criterion.name === "entropy") return equallyFrequent(diversity) >= equallyFrequent(required);
  if (direction === "at most") return diversity <= required;
  return direction === "more than" ? diversity > required : diversity >= required;
}

function equallyFrequent(entropy) {
  // How many equally frequent values have an entropy; a whole number where it is nearly one.
  const found = Math.exp(entropy), whole = Math.round(found);
  return Math.abs(found - whole) < 1e-9 ? whole : found;
}

function robustVariance(ordered, begin, end) {
  const size = end - begin - Math.ceil(0.1 * (end - begin));
  if (size < 2) return 0;
  return size <= 32 ? leastSmall(ordered, begin, end, size) : leastLarge(ordered, begin, end, size);
}

function leastSmall(ordered, begin, end, size) {
  let least = Infinity;
  for (let low = begin; low + size <= end; low++)
    least = Math.min(least, spreadOf(ordered, low, low + size));
  return least;
}

function leastLarge(ordered, begin, end, size) {
  const middle = ordered[begin + ((end - begin) >> 1)], n = end - begin;
  const sums = [[0, 0]], squares = [[0, 0]];
  for (let i = 0; i < n; i++) {
    const centred = ordered[begin + i] - middle;
    sums.push(addTwo(sums[i], [centred, 0]));
    squares.push(addTwo(squares[i], squareTwo(centred)));
  }
  let least = Infinity;
  for (let low = 0; low + size <= n; low++) {
    const minus = ([a, x]) => [-a, -x];
    const mean = divideTwo(addTwo(sums[low + size], minus(sums[low])), size);
    const square = divideTwo(addTwo(squares[low + size], minus(squares[low])), size);
    const found = addTwo(square, minus(multiplyTwo(mean, mean)));
    least = Math.min(least, Math.max(found[0] + found[1], 0));
  }
  return least;
}

function runsOf(ordered, begin, end) {
  const runs = [];
  for (let at = begin; at < end;) {
    const next = upperBound(ordered, ordered[at], at, end);
    runs.push(next - at);
    at = next;
  }
  return runs;
}

function entropyOf(ordered, begin, end) {
  const parts = runsOf(ordered, begin, end).map((run) => run / (end - begin));
  return -sumOf(parts.map((part) => part * Math.log(part))) + 0;
}

function packingOf(ordered, begin, end, apart) {
  let found = 0;
  for (let at = begin; at < end; at = lowerBound(ordered, ordered[at] + apart, begin, end)) found++;
  return found;
}

function closenessOf(column, begin, end) {
  const { values, starts, ordered } = column, n = ordered.length;
  if (values.length < 2) return 0;
  const apart = new Float64Array(values.length);
  for (let at = 0; at < values.length; at++) {
    const inside = Math.min(Math.max(starts[at + 1], begin), end) - begin;
    apart[at] = Math.abs(inside * n - starts[at + 1] * (end - begin));
  }
  return sumOf(apart) / ((end - begin) * n * (values.length - 1));
}

function measured(column, begin, end, criterion) {
  const { ordered } = column;
  if (criterion.name === "variance") return spreadOf(ordered, begin, end);
  if (criterion.name === "robust variance") return robustVariance(ordered, begin, end);
  if (criterion.name === "distinct") return runsOf(ordered, begin, end).length;
  if (criterion.name === "entropy") return entropyOf(ordered, begin, end);
  if (criterion.name === "packing") return packingOf(ordered, begin, end, criterion.apart);
  return closenessOf(column, begin, end);
}

function smallestDiversity(column, { first, last }, places, criterion) {
  // The least diverse window over the ranks that the closest value may take.
  const most = DIRECTIONS[criterion.name] === "at most", n = column.ordered.length;
  const lower = Math.min(column.last(column.codeAt(first)), last);
  let ranks = [first, last];
  for (const [begin, end] of [[first, lower], [lower + 1, last]])
    if (end - begin >= 2 * places && !most) ranks = [begin + places, begin + places];
  let worst = most ? -Infinity : Infinity;
  for (let rank = ranks[0]; rank <= ranks[1]; rank++) {
    const [begin, end] = [Math.max(rank - 1 - places, 0), Math.min(rank + places, n)];
    const found = measured(column, begin, end, criterion);
    worst = most ? Math.max(worst, found) : Math.min(worst, found);
  }
  return worst;
}

function two(value) {
  // A number with two decimals, or with two digits where it is below 1.
  const digits = value >= 1 || value <= 0 ? 2 : 1 - Math.floor(Math.log10(value));
  return local(fixed(value, Math.min(digits, 12), true));
}

function apartOf({ unit, dated }) { return dated ? "days" : unit; }

function difference(value, criterion, unit, unordered = false) {
  const tail = unit ? ` ${unit}` : "";
  if (unordered && criterion.name === "variance") return said("masked.spread-marginality", { value: two(value) });
  if (criterion.name.includes("variance")) return `± ${two(Math.sqrt(value))}${tail}`;
  if (criterion.name === "t-closeness") return said("masked.spread-unlike", { value: two(value) });
  if (criterion.name === "entropy") return said("masked.spread-entropy", { value: two(value) });
  const told = { value, apart: `${local(digits(criterion.apart ?? 0))}${tail}` };
  return said(`masked.spread-${criterion.name}`, told);
}

function spreadWords(value, criterion, unit, unordered = false) {
  if (value === 0 && ["variance", "robust variance", "entropy"].includes(criterion.name))
    return said("masked.spread-none");
  if (unordered || !criterion.name.includes("variance")) return difference(value, criterion, unit, unordered);
  const name = criterion.name === "variance" ? "deviation" : "trimmed";
  return said(`masked.spread-${name}`, { value: difference(value, criterion, unit).slice(2) });
}

function askedWords(value, criterion, unit, unordered) {
  return criterion.name.includes("variance") && !unordered ? difference(value, criterion, unit) : local(digits(value));
}
