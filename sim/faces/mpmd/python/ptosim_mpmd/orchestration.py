"""Compiles the runtime's sources in an orchestration once; a program's own source is compiled each time."""
import hashlib
import os
import pathlib
import shutil
import subprocess


def digest_of(paths):
    """Digest of the files' content; None if a file is missing."""
    total = hashlib.sha256()
    for path in paths:
        try:
            total.update(path.encode() + b"\0" + pathlib.Path(path).read_bytes() + b"\0")
        except OSError:
            return None
    return total.hexdigest()[:20]


def prerequisites(rule, root):
    """Prerequisites of a rule that the compiler has written for make."""
    words = rule.read_text().replace("\\\n", " ").split(":", 1)[1].split()
    return [os.path.join(root, word) for word in words]


def object_of(compiler, flags, source, root, folder):
    """A source's object, made unless it is there and made from the same files; None where it does not compile."""
    path = shutil.which(compiler) or compiler
    made_by = f"{path} {os.stat(path).st_mtime_ns}" if os.path.exists(path) else path
    key = hashlib.sha256("\0".join([made_by, *flags, source, str(root)]).encode()).hexdigest()[:20]
    rule = folder / f"{key}.d"
    if rule.exists():
        digest = digest_of(prerequisites(rule, root))
        if digest is not None and (folder / f"{key}-{digest}.o").exists():
            return folder / f"{key}-{digest}.o"
    new, new_rule = folder / f"{key}.{os.getpid()}.o", folder / f"{key}.{os.getpid()}.d"
    result = subprocess.run([compiler, *flags, "-MD", "-MF", str(new_rule), "-c", source, "-o", str(new)], cwd=root,
                            capture_output=True, check=False)
    if result.returncode != 0:
        return None
    kept = folder / f"{key}-{digest_of(prerequisites(new_rule, root))}.o"
    os.replace(new, kept)
    os.replace(new_rule, rule)
    return kept


def with_objects(command, root, folder):
    """The command that compiles and links an orchestration, with objects for all sources but its last."""
    folder.mkdir(parents=True, exist_ok=True)
    sources = [word for word in command[1:] if word.endswith(".cpp")]
    output = command.index("-o")
    flags = [word for i, word in enumerate(command) if i not in (0, output, output + 1) and word not in sources
             and word != "-shared" and not word.startswith("-Wl,")]
    result = list(command)
    for source in sources[:-1]:
        made = object_of(command[0], flags, source, root, folder)
        if made is not None:  # else the command as a whole says why
            result[result.index(source)] = str(made)
    return result
