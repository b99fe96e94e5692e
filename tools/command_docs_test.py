"""The checks of docs/commands and its texts find their problems, and the pages are made as described."""
import pytest

# --- texts of commands ---

CHAN_SEND = {"CHAN.SEND": {"summary": "Sends.", "arguments": [
    {"name": "channel", "type": "key"},
    {"name": "wait", "type": "integer", "display_text": "milliseconds", "token": "BLOCK", "flags": ["optional"]},
    {"name": "how", "type": "oneof", "token": "HOW", "arguments": [
        {"name": "fast", "type": "pure-token", "token": "FAST"}, {"name": "speed", "type": "integer"}]},
]}}
TEXT = """## Options

| option | meaning |
| --- | --- |
| `channel` | The channel. |
| `BLOCK milliseconds` | Wait. |
| `HOW` | How. |
| `FAST`, `speed` | Fast, or at a speed. |

## Replies

| when | RESP2 | RESP3 |
| --- | --- | --- |
| sent | integer | the same |

## Errors

| error | when |
| --- | --- |
| `NOSUB no …`, `ERR …` | There is none. |
| `MOVED …` | It is elsewhere. |

## Example

```console
$ redis-cli -3 CHAN.SEND orders HOW FAST
(integer) 1
```
"""
TEXT_INDEX = """# Commands

<!-- commands: CHAN.SEND -->

## Errors that every command can give

| error | when |
| --- | --- |
| `MOVED …` | It is elsewhere. |

## Error codes of Millrace

| code | meaning |
| --- | --- |
| `NOSUB` | No subscriber. |
| `ERR` | All others. |
"""
TEXTS = {
    "module/abi/reply.cc": '    case NoSub:\n      return "NOSUB ";\n  return "ERR ";\n',
    "module/command_texts/README.md": "How a text is made.\n",
    "module/command_texts/INDEX.md": TEXT_INDEX,
    "module/command_texts/CHAN.SEND.md": TEXT,
}
CHANGED_TEXT = "module/command_texts/CHAN.SEND.md"
CHANGED_INDEX = "module/command_texts/INDEX.md"


def found_in_texts(root, docs=CHAN_SEND):
    from check_command_texts import text_problems
    return [problem.text(root) for problem in text_problems(root, docs)]


def test_a_complete_text_is_not_mentioned(tree):
    assert found_in_texts(tree(TEXTS)) == []


@pytest.mark.parametrize("before, after, problem", [
    ("## Errors", "## Mistakes", "1: has not exactly the sections Options, Replies, Errors, Example, in this order"),
    ("## Options", "Sends.\n\n## Options", "1: has not exactly the sections"),
    ("| `channel` | The channel. |\n", "", "1: Options has no row for `channel`"),
    ("`BLOCK milliseconds`", "`BLOCK`", "1: Options has no row for `milliseconds`"),
    ("`FAST`, `speed`", "`speed`", "1: Options has no row for `FAST`"),
    ("| `HOW` | How. |\n", "", "1: Options has no row for `HOW`"),
    ("`channel`", "channel", "1: Options has no row for `channel`"),
    ("`HOW`", "`HOW when`", "7: `when` is not in the syntax of the command"),
    ("| sent | integer | the same |\n", "", "10: Replies has no table with a row for each kind of answer"),
    ("| sent | integer | the same |", "| sent | integer |", "14: a row of Replies says when, what in RESP2, and what in RESP3"),
    ("| sent | integer | the same |", "| sent | integer | |", "14: a row of Replies says when"),
    ("`NOSUB no …`", "`NOSUBS no …`", "20: NOSUBS is no error code of ours, nor one of the host in INDEX.md"),
    ("`ERR …`", "`GONE`", "20: GONE is no error code"),
    ("`MOVED …`", "MOVED", "21: a row of Errors begins with the text of an error, in backticks"),
    ("| error | when |\n| --- | --- |", "No table.", '16: Errors has neither a table nor the word "None."'),
    ("```console", "```", "23: Example is one console block"),
    ("CHAN.SEND orders", "CHAN.SENDER orders", "23: the example does not call CHAN.SEND"),
    ("$ redis-cli", "# redis-cli", "23: the example does not call CHAN.SEND"),
])
def test_a_text_that_lacks_something_is_found(tree, before, after, problem):
    assert before in TEXT
    (only,) = found_in_texts(tree({**TEXTS, CHANGED_TEXT: TEXT.replace(before, after)}))
    assert only.startswith(f"{CHANGED_TEXT}:{problem}")


def test_a_command_without_arguments_and_errors_says_none(tree):
    options, replies, errors, example = TEXT.split("\n## ")
    short = f"## Options\n\nNone.\n\n## {replies}\n## Errors\n\nNone.\n\n## {example}"
    root = tree({**TEXTS, CHANGED_TEXT: short})
    assert found_in_texts(root, {"CHAN.SEND": {"summary": "Sends."}}) == []
    assert f"{CHANGED_TEXT}:1: Options has no row for `channel`" in found_in_texts(root)


def test_a_command_without_a_text_and_a_text_without_a_command_are_found(tree):
    root = tree({**TEXTS, "module/command_texts/CHAN.PLACE-LIST.md": TEXT})
    (root / CHANGED_TEXT).unlink()
    assert found_in_texts(root) == [
        f"{CHANGED_TEXT}:1: is missing: CHAN.SEND has no text",
        "module/command_texts/CHAN.PLACE-LIST.md:1: describes no command: delete it",
    ]


@pytest.mark.parametrize("before, after, problem", [
    ("<!-- commands: CHAN.SEND -->\n", "", "1: CHAN.SEND is in no table"),
    ("CHAN.SEND -->", "CHAN.SEND, CHAN.OLD -->", "3: there is no command CHAN.OLD"),
    ("| `NOSUB` | No subscriber. |\n", "",
     '1: "Error codes of Millrace" has no row for NOSUB, which module/abi/reply.cc has'),
    ("| `NOSUB` |", "| `NOSUB` | None. |\n| `GONE` |", "16: module/abi/reply.cc has no GONE"),
])
def test_an_index_that_lacks_something_is_found(tree, before, after, problem):
    assert before in TEXT_INDEX
    (only,) = found_in_texts(tree({**TEXTS, CHANGED_INDEX: TEXT_INDEX.replace(before, after)}))
    assert only == f"{CHANGED_INDEX}:{problem}"


def test_a_command_in_two_tables_of_the_index_is_found(tree):
    root = tree({**TEXTS, CHANGED_INDEX: TEXT_INDEX + "\n<!-- commands: CHAN.SEND -->\n"})
    assert found_in_texts(root) == [f"{CHANGED_INDEX}:{line}: CHAN.SEND is here more than once" for line in (3, 18)]


def test_our_error_codes_are_read_from_the_source():
    from command_texts import our_codes
    from tree import ROOT
    assert {"ERR", "NOGROUP", "NOSUB", "BADRECEIPT"} <= our_codes(ROOT)


# --- pages ---

def test_pages_that_the_server_would_not_write_are_found(tree):
    from check_command_docs import compared
    root = tree({"README.md": "index", "OLD.md": "gone", "SAME.md": "same", "STALE.md": "before"})
    wanted = {"README.md": "index", "SAME.md": "same", "STALE.md": "after", "NEW.md": "new"}
    assert [problem.text(root) for problem in compared(root, wanted)] == [
        "NEW.md:1: is missing: run tools/generate_command_docs",
        "OLD.md:1: describes no command: delete it",
        "STALE.md:1: differs from the command table and the texts: run tools/generate_command_docs",
    ]


def test_pages_and_index_join_table_and_texts():
    from command_docs import index, page
    info = ["chan.send", -3, ["write"], 1, 1, 1, [], [], [{
        "flags": ["RW", "insert"], "begin_search": {"type": "index", "spec": {"index": 1}},
        "find_keys": {"type": "range", "spec": {"lastkey": 0, "keystep": 1, "limit": 0}}}], []]
    doc = {**CHAN_SEND["CHAN.SEND"], "since": "1.0.0", "complexity": "O(1)."}
    headings = [line for line in page("CHAN.SEND", doc, info, TEXT).splitlines() if line.startswith("#")]
    assert headings == ["# CHAN.SEND", "## Options", "## Replies", "## Errors", "## Example", "## Facts"]
    template = "# Commands\n\n<!-- overview -->\n\n## Sent things\n\n<!-- commands: CHAN.SEND -->\n"
    lines = index(template, CHAN_SEND).splitlines()
    assert "| [Sent things](#sent-things) | [CHAN.SEND](CHAN.SEND.md) |" in lines
    assert "| [CHAN.SEND](CHAN.SEND.md) | Sends. |" in lines


def test_a_syntax_line_is_rendered_from_the_arguments():
    from command_docs import syntax_lines
    key = {"name": "key", "type": "key"}
    pair = [{"name": "tag", "type": "string"}, {"name": "entry", "type": "string"}]
    arguments = [
        key,
        {"name": "ms", "type": "integer", "token": "BLOCK", "flags": ["optional"]},
        {"name": "skip", "type": "pure-token", "token": "SKIP", "flags": ["optional"]},
        {"name": "how", "type": "oneof", "arguments": [
            {"name": "fast", "type": "pure-token", "token": "FAST"},
            {"name": "slow", "type": "pure-token", "token": "SLOW"}]},
        {"name": "entries", "type": "block", "token": "ENTRIES", "flags": ["multiple"], "arguments": pair},
    ]
    assert syntax_lines("X", arguments) == [
        "X key [BLOCK ms] [SKIP] <FAST | SLOW> ENTRIES tag entry [tag entry ...]"]
    forms = {"name": "what", "type": "oneof", "arguments": [
        {"name": "one", "type": "block", "arguments": pair}, {"name": "n", "type": "integer", "token": "N"}]}
    assert syntax_lines("X", [key, forms]) == ["X key tag entry", "X key N n"]
    assert syntax_lines("X HELP", []) == ["X HELP"]


def test_a_long_syntax_goes_on_in_further_lines():
    from command_docs import SYNTAX_WIDTH, syntax_lines
    arguments = [{"name": f"argument-{i}", "type": "string"} for i in range(20)]
    lines = syntax_lines("X", arguments)
    assert len(lines) > 1 and all(len(line) <= SYNTAX_WIDTH for line in lines)
    assert [line[:4] for line in lines[1:]] == ["    "] * (len(lines) - 1)
    assert " ".join(lines).split() == ["X", *(argument["name"] for argument in arguments)]
