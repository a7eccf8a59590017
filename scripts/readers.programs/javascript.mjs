// What a JavaScript library shows of the first two rows of columns: see scripts/readers.
//
// usage: node javascript.mjs READER FILE GROUP COLUMN...

import { readFileSync } from "node:fs";

const [reader, file, group, ...columns] = process.argv.slice(2);
const folder = process.cwd() + "/node_modules/" + reader;
console.log("version\t" + JSON.parse(readFileSync(folder + "/package.json")).version);

function text(value) {
    if (typeof value === "bigint") return value.toString();
    if (ArrayBuffer.isView(value) || Array.isArray(value)) return "[" + Array.from(value, text).join(" ") + "]";
    if (value !== null && typeof value === "object") return JSON.stringify(value, (_, v) => (typeof v === "bigint" ? Number(v) : v));
    return String(value);
}

async function opened() {
    const bytes = readFileSync(file);
    if (reader === "h5wasm") {
        const h5wasm = (await import(folder + "/dist/node/hdf5_hl.js")).default;
        const { FS } = await h5wasm.ready;
        FS.writeFile("a.h5", new Uint8Array(bytes));
        return new h5wasm.File("a.h5", "r");
    }
    const jsfive = await import(folder + "/" + JSON.parse(readFileSync(folder + "/package.json")).main);
    return new (jsfive.File ?? jsfive.default.File)(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), "a.h5");
}

const table = await opened();
for (const name of columns) {
    try {
        const dataset = table.get(group + "/" + name);
        const values = dataset.value;
        const n = values.length / dataset.shape[0]; // some flatten the elements
        const rows = [0, 1].map((i) => (n > 1 ? values.slice(i * n, (i + 1) * n) : values[i]));
        console.log([name, ...rows.map(text)].join("\t").replace(/\n/g, " "));
    } catch (error) {
        console.log([name, "!", String(error.message ?? error).split("\n")[0]].join("\t"));
    }
}
process.exit(0);
