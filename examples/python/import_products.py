"""Imports a CSV file of products into a log, from which a worker writes them to hashes with an index.

    import_products.py URL FILE

It may be killed and started again: each line has an id made of the file's name and the line's number, so none is imported
twice within the log's window for ids (ten minutes, or TRETAIN … IDS).
"""

import csv
import sys

from millrace import Codec, Json, Message, Millrace, NotUnique, Reject

Row = dict[str, str]


def main() -> None:
    url, file = sys.argv[1:]
    codec: Codec[Row] = Json()
    with Millrace.from_url(url) as mr:
        with mr.producer("{products}", codec=codec) as producer, open(file, newline="", encoding="utf-8") as rows:
            for number, row in enumerate(csv.DictReader(rows), 1):
                producer.send("product", row, id=f"{file}:{number}")

        index = mr.index("{products}index")
        index.create("{products}product:", {"sku": "TEXT UNIQUE", "price": "NUMBER"})
        worker = mr.worker("{products}", group="import", codec=codec, dead_letter="{products}:refused")

        @worker.on("product")
        def store(row: Row, message: Message[Row]) -> None:
            try:
                float(row["price"])
                index.put(f"{{products}}product:{row['id']}", row)
            except (NotUnique, ValueError) as error:
                raise Reject(str(error)) from error

        worker.run_until_idle()
        index.wait_until_ready()
        refused = sum(1 for _ in mr.reader("{products}:refused", follow=False))
        print(f"{index.count()} products, {refused} refused")
        for key, fields in index.find(("price", "<", 5), order="price", get=["name", "price"]):
            print(key, fields["name"].decode(), fields["price"].decode())


main()
