// The file of an index, as `verikit index` writes it: a version, a checksum, what is told, and buckets.
// It is refused where Python refuses it (`large._index_file`).

const FOLD = 200, ALWAYS = 10e6, UNPACKED = 500e6;  // what a file may become, by its size
const PARTS_OF_COLUMN = 5;  // how many values each bucket holds, its ends, and the codes in two bytes

function isIndex(bytes) {
  return [...new TextEncoder().encode("verikit index ")].every((byte, at) => bytes[at] === byte);
}

async function indexIn(bytes, name) {
  const end = bytes.indexOf(10), content = bytes.subarray(end + 1);
  const [version, digest] = new TextDecoder().decode(bytes.subarray(14, end)).split(" ");
  if (Number(version) > 1) throw refused("newer", {}, "files");
  if (end < 0 || !(await isWhole(content, `sha256:${digest}`))) throw refused("damaged", { name }, "files");
  try {
    return await openedIndex(content, name);
  } catch (error) {
    throw error.name === "too-large" ? error : refused("no-index", { name }, "files");
  }
}

async function openedIndex(content, name) {
  const size = Number(new DataView(content.buffer, content.byteOffset).getBigUint64(0, true));
  const facts = parsed(new TextDecoder().decode(content.subarray(8, 8 + size)));
  const { columns, records: n, buckets, packed } = facts;
  require(whole(n) && n > 0 && columns.length > 0 && buckets.length === columns.length);
  require(buckets.every(whole) && packed.every(whole) && packed.length === PARTS_OF_COLUMN * columns.length);
  const sizes = buckets.flatMap((count) => [8 * count, 8 * count, 8 * count, n, n]);
  const all = sizes.reduce((a, b) => a + b), most = Math.min(UNPACKED, Math.max(ALWAYS, FOLD * content.length));
  if (all > most) throw refused("too-large", { name }, "files");
  const parts = [];
  let at = 8 + size;
  for (const [place, length] of packed.entries()) {
    parts.push(await inflated(content.subarray(at, at + length), "deflate", sizes[place]));
    at += length;
  }
  const schema = columns.map(checkedField), luck = checkedTold(facts);
  require(new Set(schema.map((column) => column.name)).size === schema.length);
  const held = schema.map((column, j) =>
    bucketed(column, parts.slice(PARTS_OF_COLUMN * j, PARTS_OF_COLUMN * (j + 1)), buckets[j]));
  return {
    kind: "indexed", n, columns: held, links: facts.reported_links, luck, method: facts.method,
    parameters: facts.parameters, without: titlesOf(facts.reported_without ?? [], schema),
    schema: schema.filter((column) => column.role === "quasi"), harm: harmIn(schema), fromModel: facts.promise === FROM_MODEL,
  };
}

function require(condition) { if (!condition) throw broken(); }

function whole(value) { return Number.isSafeInteger(value) && value >= 0; }

function bucketed(column, [counts, lowest, highest, small, large], count) {
  // Its buckets in ascending order, each with as many codes as it is told to hold.
  const ends = [lowest, highest].map((part) => new Float64Array(part.buffer));
  const code = Int32Array.from(small, (byte, row) => byte + 256 * large[row]);
  require(count > 0 && code.every((one) => one <= count));
  const held = countsOf(code, count + 1), told = new BigInt64Array(counts.buffer);
  require(told.every((one, at) => one > 0n && one === BigInt(held[at])));
  require(ends[0].every((low, at) => low <= ends[1][at] && (at === 0 || ends[1][at - 1] <= low)));
  return new Bucketed(factsOf(column), ends, code);
}

function checkedTold({ method, parameters, promise, reported_links: links, reported_luck: luck }) {
  // What is told of how the table was made; the luck as it is said.
  const isObject = parameters !== null && typeof parameters === "object" && !Array.isArray(parameters);
  require(typeof method === "string" && isObject && PROMISES.includes(promise));
  require((links === null || Number.isInteger(links)) && (luck === null || typeof luck === "number"));
  return luck === null ? null : fixed(luck, 1, false);
}

function checkedField(field) {
  // A column whose description is of the kind that it should be, and that can be ranked.
  const text = (value) => value === undefined || typeof value === "string";
  const { type, title, verikit: { kind, unit, order } = {} } = field;
  require([type, title, kind, unit].every(text) && (order === undefined || (Array.isArray(order) && order.every((one) => typeof one === "string"))));
  const column = described(field);
  require(column.kind === "numeric" || column.categories !== null);
  return column;
}
