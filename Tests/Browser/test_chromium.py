"""Chromium feeds the daemon, and its bar follows."""

from support.daemon import until


def test_a_touch_scroll_ends_as_a_transition_that_scrollctl_watch_shows(module_workspace, fed):
    page = fed.open("/article")
    page.target.drag(-300)
    until(lambda: page.state()["toolbar"] == "hidden", "the bar hides")
    page.target.drag(200, y=300)
    until(lambda: page.state()["toolbar"] == "shown", "the bar shows")
    print(*page.records(), sep="\n")
