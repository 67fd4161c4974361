"""A test of a web application in a real browser: what does its page show?"""

import time

from virtual_computers import Computer, VirtualComputers

PAGE = """<title>Shop</title><h1>2 items</h1>
<button onclick="document.querySelector('h1').textContent = '3 items'">Add</button>"""


def wait_for(desk: Computer, wanted: str) -> None:
    """Waits until the page shows a text, which is read as a person would: select all and copy."""
    text, end = "", time.monotonic() + 60
    while wanted not in text:
        assert time.monotonic() < end, f"the page shows {text!r}"
        time.sleep(0.2)
        desk.key("ctrl+a")
        desk.key("ctrl+c", settle=True)
        text = desk.clipboard()
    print("the page shows:", text.split("\n")[0])


with VirtualComputers() as vc:
    project = vc.projects.create(f"browser-{time.time_ns()}").name
    try:
        desk = vc.computers.create(project, "desk")

        # The application: served inside the computer, so that nothing has to be reachable from it.
        desk.files.make_directory("site")
        desk.files.write("site/index.html", PAGE)
        desk.jobs.start("python3 -m http.server 8000", cwd="site")
        desk.bash("until curl -s localhost:8000 >/dev/null; do sleep 0.1; done", check=True)
        desk.bash("setsid -f chromium --no-first-run http://localhost:8000 >/dev/null 2>&1")

        wait_for(desk, "2 items")
        desk.key("Tab")  # to the button
        desk.key("Enter", settle=True)
        wait_for(desk, "3 items")
        desk.screenshot("page.png")
    finally:
        vc.projects.delete(project)
