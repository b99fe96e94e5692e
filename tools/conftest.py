"""What the tests of the checks share."""
import pytest


@pytest.fixture
def tree(tmp_path):
    """Writes files, given as path: text, and returns the tree."""
    def write(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write
