import type { Edit } from './actions.js';

/** Characters of a file or listing that are shown at most. */
const MOST_SHOWN = 60_000;
/** Largest file that is edited, in bytes. */
const MOST_BYTES = 4_000_000;

/**
 * Python code that edits a file in the guest and prints the result for the model. Raises SystemExit
 * with a message for an edit that is not possible. The arguments are base64, so that no text of the
 * model is part of the code.
 */
export function editCode(edit: Edit): string {
  const given = Buffer.from(JSON.stringify(edit)).toString('base64');
  return `${CODE}\nrun(json.loads(base64.b64decode("${given}")))\n`;
}

const CODE = `
import base64, json, os, stat, sys

def fail(why):
    print(why)
    sys.exit(1)

def read(path):
    if not stat.S_ISREG(os.stat(path).st_mode):
        fail(f"{path} is no file.")
    with open(path, "rb") as file:
        data = file.read(${MOST_BYTES} + 1)
    if len(data) > ${MOST_BYTES}:
        fail(f"{path} is larger than ${MOST_BYTES} bytes.")
    return data.decode("utf-8", "strict")

def write(path, text):
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)

def numbered(text, view_range):
    lines = text.split("\\n")
    first, last = view_range or (1, -1)
    last = len(lines) if last == -1 else last
    if not 1 <= first <= last or last > len(lines):
        fail(f"view_range must be within 1 and {len(lines)}.")
    shown = enumerate(lines[first - 1 : last], first)
    return "\\n".join(f"{number:6}\\t{line}" for number, line in shown)

def view(path, view_range):
    if os.path.isdir(path):
        return "\\n".join(sorted(os.listdir(path))[:1000])
    return numbered(read(path), view_range)

def run(a):
    path = os.path.expanduser(a["path"])
    try:
        if a["command"] == "view":
            print(view(path, a.get("view_range"))[:${MOST_SHOWN}])
        elif a["command"] == "create":
            os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
            write(path, a["file_text"])
            print(f"Wrote {path}.")
        elif a["command"] == "str_replace":
            text = read(path)
            found = text.count(a["old_str"])
            if found != 1:
                fail(f"old_str occurs {found} times in {path}; it must occur once.")
            write(path, text.replace(a["old_str"], a.get("new_str") or "", 1))
            print(f"Edited {path}.")
        else:
            lines = read(path).split("\\n")
            at = a["insert_line"]
            if at > len(lines):
                fail(f"insert_line must be from 0 to {len(lines)}.")
            write(path, "\\n".join(lines[:at] + a["insert_text"].removesuffix("\\n").split("\\n") + lines[at:]))
            print(f"Edited {path}.")
    except (OSError, UnicodeDecodeError) as error:
        fail(f"{path}: {getattr(error, 'strerror', None) or 'is no text in UTF-8'}")
`;
