"""The page of a command lists every error that a badly written call of the command gets."""

import itertools
import re
import shlex

import pytest

from command_pages import PAGES, common_errors, errors_of, is_told, options_of
from console import BLOCK, run_blocks, steps
from resp import RespError

# The words at which a call on a command line ends.
SHELL = "|;&)"


def calls_of(command, example):
    """The words of each call of a command in an example."""
    for line, _ in steps(example):
        for call in re.findall(rf"redis-cli (?:-\S+ )*({re.escape(command)}\b.*)", line):
            words = shlex.shlex(call, posix=True, punctuation_chars=SHELL)
            words.whitespace_split, words.commenters = True, ""
            yield list(itertools.takewhile(lambda word: not set(word) <= set(SHELL), words))


def wrong_calls(command, example, options):
    """Badly written calls: with words that are cut, left out, replaced or added."""
    for words in calls_of(command, example):
        for place in range(len(command.split()), len(words)):
            yield words[:place]
            yield words[:place] + words[place + 1:]
            for other in ("", "x" * 1025, "-1", "0", "9" * 20, "nonsense", b"\xff\xfe"):
                yield words[:place] + [other] + words[place + 1:]
        yield words + ["nonsense"]
        for option in options:
            for more in (option[:1], option + option, *(option[:1] + other for other in options)):
                yield words + more


def answer_to(connection, words):
    """The answer without waiting: inside a transaction no command waits."""
    connection.send("MULTI")
    connection.send(*words)
    connection.send("EXEC")
    _, queued, done = connection.read(), connection.read(), connection.read()
    return queued if isinstance(queued, RespError) else done[0]


@pytest.mark.without_feeds
@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_a_page_has_every_error_that_wrong_words_lead_to(server, c, page):
    text = page.read_text()
    [(_, example)] = BLOCK.findall(text)
    run_blocks(server, text)
    options = [[word if word.isupper() else "1" for word in option.split()] for option in options_of(page)]
    printed = errors_of(page) + common_errors()
    answers = [(words, answer_to(c, words)) for words in wrong_calls(page.stem.replace("-", " "), example, options)]
    assert any(isinstance(answer, RespError) for _, answer in answers), "wrong words are refused"
    assert not [(str(answer), words) for words, answer in answers
                if isinstance(answer, RespError) and not is_told(answer, printed)]
