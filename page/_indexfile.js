// The file of an index, as `verikit index` writes it: a version, a checksum, what is told, and buckets.

function isIndex(bytes) {
  return [...new TextEncoder().encode("verikit index ")].every((byte, at) => bytes[at] === byte);
}

async function indexIn(bytes, name) {
  const end = bytes.indexOf(10), content = bytes.subarray(end + 1);
  const [version, digest] = new TextDecoder().decode(bytes.subarray(14, end)).split(" ");
  if (Number(version) > 1) throw refused("newer", {}, "files");
  if (end < 0 || !(await isWhole(content, `sha256:${digest}`))) throw refused("damaged", { name }, "files");
  const size = Number(new DataView(content.buffer, content.byteOffset).getBigUint64(0, true));
  const facts = parsed(new TextDecoder().decode(content.subarray(8, 8 + size))), parts = [];
  let at = 8 + size;
  for (const length of facts.packed) {
    parts.push(await inflated(content.subarray(at, at + length), "deflate"));
    at += length;
  }
  const schema = facts.columns.map(described);
  const columns = schema.map((column, j) => {
    const [, lowest, highest, low, high] = parts.slice(5 * j, 5 * j + 5);
    const code = Int32Array.from(low, (byte, row) => byte + 256 * high[row]);
    return new Bucketed(factsOf(column), [lowest, highest].map((part) => new Float64Array(part.buffer)), code);
  });
  const luck = facts.reported_luck === null ? null : fixed(facts.reported_luck, 1, false);
  return {
    kind: "indexed", n: facts.records, columns, links: facts.reported_links, luck, told: methodWords(facts),
    without: titlesOf(facts.reported_without ?? [], schema),
    schema: schema.filter((column) => column.role === "quasi"),
  };
}
