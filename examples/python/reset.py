"""A test suite on one computer: each test may break everything, and the next one begins from the same
snapshot."""

import time

from virtual_computers import Computer, VirtualComputers


def a_note_is_added(desk: Computer) -> bool:
    desk.bash("echo Bread >> notes.txt", check=True)
    return desk.files.read("notes.txt") == b"Milk\nBread\n"


def all_notes_are_deleted(desk: Computer) -> bool:
    desk.bash("rm notes.txt", check=True)
    return not desk.files.exists("notes.txt")


def there_is_one_note_at_first(desk: Computer) -> bool:
    return desk.files.read("notes.txt") == b"Milk\n"


TESTS = [a_note_is_added, all_notes_are_deleted, there_is_one_note_at_first]

with VirtualComputers() as vc:
    project = vc.projects.create(f"reset-{time.time_ns()}").name
    try:
        desk = vc.computers.create(project, "desk")
        desk.files.write("notes.txt", "Milk\n")
        desk.snapshots.create("clean")
        passed = 0
        for test in TESTS:
            is_passed = test(desk)
            passed += is_passed
            print(f"{'ok' if is_passed else 'FAILED'}: {test.__name__.replace('_', ' ')}")
            desk.reset("clean")
        print(f"{passed} of {len(TESTS)} passed")
    finally:
        vc.projects.delete(project)  # with its computer and the snapshot
