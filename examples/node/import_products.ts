// Imports a CSV file of products (without quotes) into a log, from which a worker writes them to hashes with an index.
//
//     import_products URL FILE
//
// It may be killed and started again: each line has an id made of the file's name and the line's number, so none is
// imported twice within the log's window for ids (ten minutes, or TRETAIN … IDS).

import { readFileSync } from "node:fs";

import { Redis } from "ioredis";
import { Millrace, NotUnique, Reject, json } from "millrace";

type Row = Record<string, string>;

const [url = "", file = ""] = process.argv.slice(2);
const codec = json<Row>();
const mr = new Millrace(new Redis(url, { lazyConnect: true }));

const producer = mr.producer("{products}", { codec });
const [header = "", ...lines] = readFileSync(file, "utf8").trimEnd().split("\n");
const names = header.split(",");
for (const [number, line] of lines.entries()) {
  const values = line.split(",");
  const row = Object.fromEntries(names.map((name, at) => [name, values[at] ?? ""]));
  await producer.send("product", row, { id: `${file}:${number + 1}` });
}
await producer.close();

const index = mr.index("{products}index");
await index.create("{products}product:", { sku: "TEXT UNIQUE", price: "NUMBER" });
const worker = mr.worker("{products}", "import", { codec, deadLetter: "{products}:refused" });
worker.on("product", async (row) => {
  if (Number.isNaN(Number(row["price"]))) throw new Reject(`no price: ${row["price"]}`);
  try {
    await index.put(`{products}product:${row["id"]}`, row);
  } catch (error) {
    throw error instanceof NotUnique ? new Reject(error.message) : error;
  }
});
await worker.runUntilIdle();
await index.waitUntilReady();

let refused = 0;
for await (const _ of mr.reader("{products}:refused", { follow: false })) refused += 1;
console.log(`${await index.count()} products, ${refused} refused`);
for await (const { key, fields } of index.find([["price", "<", 5]], { order: "price", get: ["name", "price"] })) {
  console.log(key, String(fields["name"]), String(fields["price"]));
}
mr.close();
