"""Each action of the console does what it says, on the server, and is written to the audit log."""

import json

from server import wait_until


def decoded(value):
    return value.decode() if isinstance(value, bytes) else value


def test_messages_are_written_filtered_opened_and_deleted(shop, console):
    console.go("log/orders", "newest first")
    console.press("Write …")
    console.confirm("Write", "Written as message 121.", Tag="by-hand", Content='{"note": "from the console"}')
    console.see_row("Messages", "121", "by-hand", "from the console")
    assert [decoded(part) for part in shop.call("TREAD", "orders", 121, 1)[0]] == [121, "by-hand", '{"note": "from the console"}']
    console.fill("Only these tags: a,b", "by-hand")
    console.run("await page.getByRole('table', {name: 'Messages'}).locator('tbody tr').nth(1).waitFor({state: 'detached'})")
    console.press("Open 121")
    console.see('"from the console"')
    console.press("Delete message 121")
    console.confirm("Delete", "Delete: done.")
    console.see("No message with these tags.")
    assert shop.call("TREAD", "orders", 121, 1) == [None]


def test_messages_are_found_by_offset_and_by_time(shop, console):
    console.go("log/orders", "newest first")
    console.fill("From offset or time", "17")
    console.see_row("Messages", '"order": 17,')
    console.see("oldest first")
    console.press("Show more")
    console.see_row("Messages", '"order": 90,')
    console.fill("From offset or time", "2020-01-01 12:00")
    console.see_row("Messages", '"order": 1,')
    console.fill("From offset or time", "yesterday")
    console.see("Give an offset, a time")


def test_a_pending_message_leads_to_the_log_from_there_on(shop, console):
    console.go("log/orders/groups/billing", "worker-3")
    console.run("await page.getByRole('table', {name: 'Pending messages'}).getByRole('link', {name: '41', exact: true}).click()")
    console.see_row("Messages", '"order": 41,')
    console.see("oldest first")
    assert console.run("return await page.getByRole('table', {name: 'Messages'}).getByText('\"order\": 40,').count()") == 0


def test_the_live_tail_can_be_paused(shop, console):
    console.go("log/orders", "newest first")
    console.see_row("Messages", '"order": 119,')
    console.press("❚❚ Pause")
    shop.call("TWRITE", "orders", "late", "while it was paused")
    console.see("paused")
    assert "while it was paused" not in console.run("return await page.locator('main').innerText()")
    console.press("▶ Go on")
    console.see_row("Messages", "while it was paused")
    shop.call("TWRITE", "orders", "live", "seen as it came")
    console.see_row("Messages", "seen as it came")


def test_a_message_is_copied_as_command_request_and_program(shop, console, gateway):
    shop.call("TWRITE", "notes", "it's", "a 'quoted' word")
    console.go("log/notes", "newest first")
    console.press("Open 1")
    console.press("Copy as …")
    texts = console.run("""const texts = page.getByRole('dialog').locator('pre');
        await texts.nth(2).waitFor();
        return await texts.allInnerTexts()""")
    assert texts[0] == r"""redis-cli TWRITE notes 'it'\''s' 'a '\''quoted'\'' word'"""
    assert texts[1].endswith(f"http://127.0.0.1:{gateway.port}/v1/logs/notes") and r"'Millrace-Tag: it'\''s'" in texts[1]
    assert """execute_command("TWRITE", "notes", "it's", "a 'quoted' word")""" in texts[2]


def test_pending_messages_are_extended_acknowledged_and_given_up(shop, console):
    def pending():
        return {row[0]: row for row in shop.call("TGROUP", "PENDING", "orders", "billing")}

    def choose(offset):
        console.run("await page.getByLabel(given.label, {exact: true}).check()", label=f"Message {offset}")

    console.go("log/orders/groups/billing", "worker-3")
    choose(41)
    console.press("Extend")
    console.confirm("Extend", "Extend: done.", Seconds="9000")
    assert pending()[41][2] > 8_000_000
    choose(42)
    console.press("Acknowledge")
    console.confirm("Acknowledge", "Acknowledge: done.")
    assert 42 not in pending()
    choose(43)
    console.press("Dead-letter")
    console.confirm("Dead-letter", "Dead-letter: done.", Reason="by the night shift")
    assert 43 not in pending()
    console.go("log/orders%3Adead/dead")
    console.see_row("Dead letters", "by the night shift")


def test_a_group_is_moved_and_dropped(shop, console):
    console.go("log/orders/groups/analytics", "Done with everything.")
    console.press("Seek …")
    console.confirm("Move", "Moved analytics.", **{"Offset, delivered next": "100"})
    console.see("21")
    assert shop.call("TGROUP", "LIST", "orders")[0][3] == 99
    console.press("Drop the group analytics")
    assert console.run("return await page.getByRole('dialog').getByRole('button', {name: 'Drop', exact: true}).isDisabled()")
    console.confirm("Drop", "Drop: done.", typed="analytics")
    console.see_row("Groups", "shipping")
    assert len(shop.call("TGROUP", "LIST", "orders")) == 2


def test_dead_letters_are_sent_back_one_and_all(shop, console):
    console.go("log/orders%3Adead/dead")
    console.see_row("Dead letters", "no such customer", "billing")
    console.press("Send back 2")
    console.confirm("Send back", "Sent back 1, 1 left.")
    assert [json.loads(message[2])["order"] for message in shop.call("TREAD", "orders", 121, 9)] == [38]
    console.press("Send all back …")
    console.confirm("Send all back", "Sent back 1.")
    console.see("No dead letters.")
    assert [json.loads(message[2])["order"] for message in shop.call("TREAD", "orders", 121, 9)] == [38, 37]


def test_the_schedule_is_changed(shop, console):
    console.go("log/orders/schedule", "remind")
    tickets = [decoded(row[0]) for row in shop.call("TSCHED", "LIST", "orders")]
    console.press(f"Now {tickets[0]}")
    console.confirm("Write it now", "Now: done.")
    console.press(f"Cancel {tickets[1]}")
    console.confirm("Cancel the message", "Cancel: done.")
    console.see("Nothing waits for its date.")
    assert shop.call("TSCHED", "LIST", "orders") == []
    assert shop.call("TREAD", "orders", 121, 9)[0][1] == b"remind"


def test_a_channel_is_published_to_and_a_subscriber_removed(shop, console):
    console.go("channel/prices")
    console.see_row("Subscribers", "mailer", "12")
    console.press("Publish …")
    console.confirm("Publish", "Published as 13.", Id="sale", Content="everything must go")
    console.see_row("Messages", "sale", "everything must go")
    console.press("Remove the subscriber mailer")
    console.confirm("Remove", "Remove: done.")
    console.run("await page.getByRole('row', {name: /mailer/}).waitFor({state: 'detached'})")


def test_a_worker_is_removed_and_the_pool_rebalanced(shop, console):
    console.go("pool/chat")
    console.see_row("Workers", "chat-1", "working")
    console.press("chat-1")
    console.see("Recipients of chat-1")
    console.see_row("Recipients", "ann", "3")
    console.press("Rebalance …")
    console.confirm("Rebalance", "Moved 0 recipients.")
    console.press("Remove the worker chat-2")
    console.confirm("Remove", "Remove: done.")
    wait_until(lambda: len(shop.call("SHARD.INFO", "chat")[1]) == 1, "one worker is left")


def test_a_lock_is_broken_and_passes_to_the_next(shop, console):
    console.go("lock/stock")
    console.see_row("Holders", "cashier-1")
    console.see_row("The line", "cashier-2")
    console.press("Break stock")
    console.confirm("Break the lock", "Broken: the next in line has it.", typed="stock")
    console.see_row("Holders", "cashier-2")


def test_a_circle_of_waits_is_seen_and_broken(shop, console):
    console.go("lock-waits", "Nobody goes on until a lease ends")
    console.press("Break left")
    console.confirm("Break the lock", "Broken: the next in line has it.", typed="left")
    console.see("nobody in a circle")


def test_a_pasted_document_shows_the_devices_that_would_get_it(shop, console):
    console.go("route/%7Bshop%7D", "Paste a document")
    console.fill("App", "shop")
    console.fill("Model", "order")
    console.fill("Document after the change (JSON)", '{"total": 99, "customer": "bob"}')
    console.press("Who would hear this?")
    console.see("2 devices would hear of it.")
    console.fill("Document after the change (JSON)", '{"total": 9, "customer": "bob"}')
    console.fill("Document before it, if you want to know who enters and leaves", '{"total": 99, "customer": "eve"}')
    console.press("Who would hear this?")
    console.see_row("Devices that would hear", "laptop", "leave")
    console.see_row("Devices that would hear", "phone", "enter")
    console.go("route/%7Bshop%7D/devices", "laptop|websocket")
    console.press("Remove the device laptop|websocket")
    console.confirm("Remove", "Remove: done.")
    assert shop.call("ROUTE.DEVICE", "GET", "{shop}", "laptop|websocket") is None


def test_an_index_is_searched_checked_and_repaired(shop, console):
    console.go("index/customers", "not an integer")
    console.run("await page.getByLabel('Relation').selectOption('='); await page.getByLabel('Field', {exact: true}).selectOption('city')")
    console.fill("Value", "Bonn")
    console.press("Find")
    console.see_row("Found", "customer:0", "Bonn", "ann@example.com")
    for word in ("Check", "Repair"):
        console.press(f"{word} …")
        console.confirm(word, "done: checked 6, missing 0, stale 0, wrong 0")


def test_a_key_is_deleted_once_its_name_is_typed(shop, console):
    console.go("channel/prices", "mailer")
    console.press("Delete prices")
    console.confirm("Delete", "Delete: done.", typed="prices")
    assert shop.call("EXISTS", "prices") == 0


def test_a_connection_is_ended_by_hand_and_comes_again(shop, console):
    console.go("gateways")
    console.see_row("Connections", "/v1/admin/live")
    console.run("""await page.getByRole('row').filter({hasText: '/v1/admin/live'}).getByRole('button', {name: /Disconnect/}).first().click()""")
    console.run("await page.getByRole('dialog').getByRole('button', {name: 'Disconnect', exact: true}).click()")
    console.run("await page.getByRole('status').getByText('live', {exact: true}).waitFor()")
    console.see_row("Connections", "/v1/admin/live")
    console.press("Revoke a token …")
    console.confirm("Revoke", "Revoked.", **{"Its id (the claim jti)": "leaked-17"})


def test_what_was_done_is_in_the_audit_log(shop, console):
    console.go("log/orders", "newest first")
    console.press("Write …")
    console.confirm("Write", "Written as message 121.", Tag="audited", Content="x")
    console.go("audit")
    console.see_row("Audit log", "this machine", "write", "orders", "audited", "done")
