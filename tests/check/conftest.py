import pytest

from vsacourse.check import progress


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """Each test has a progress folder of its own."""
    folder = tmp_path / "home"
    monkeypatch.setenv("VSACOURSE_HOME", str(folder))
    monkeypatch.setattr(progress, "_said", set())
    monkeypatch.setattr(progress, "_session", set())
    return folder
