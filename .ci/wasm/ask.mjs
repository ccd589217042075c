/* Runs a Python script in Pyodide: node ask.mjs pyodide.mjs script.py site-packages */
import { readFileSync } from "node:fs";

const [pyodide, script, site] = process.argv.slice(2);
const { loadPyodide } = await import(pyodide);
const python = await loadPyodide();
python.FS.mkdir("/site");
python.FS.mount(python.FS.filesystems.NODEFS, { root: site }, "/site");
python.runPython("import sys; sys.path.insert(0, '/site')");
const began = Date.now();
python.runPython("import verikit, verikit.exercises");
console.log(`IMPORTED ${Date.now() - began}`);
python.runPython(readFileSync(script, "utf8"));
