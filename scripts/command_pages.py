#!/usr/bin/python3
"""Writes the man page and the completions of a shell for the commands and options that a program has.

    command_pages.py [EMULATOR ...] PROGRAM PREFIX    # PREFIX/share/man/man1/ptosim.1, bash, zsh, fish
"""
import os
import re
import subprocess
import sys

PATHS = {"man": "share/man/man1/ptosim.1", "bash": "share/bash-completion/completions/ptosim",
         "zsh": "share/zsh/site-functions/_ptosim", "fish": "share/fish/vendor_completions.d/ptosim.fish"}


def said(program, *words):
    return subprocess.run([*program, *words], capture_output=True, text=True, check=True).stdout


def commands_of(program):
    """Each command with its line of help, its options, and the text of its --help."""
    listed = said(program, "help").split("Subcommands:")[1]
    found = {}
    for name, text in re.findall(r"^  ([a-z][\w-]*) +(.*)$", listed, re.M):
        page = said(program, name, "--help")
        options = re.findall(r"^ +(?:-\w, ?)?(--[a-z][\w-]*)", page, re.M)
        found[name] = (text, sorted(set(options)), page)
    return found


def escaped(text):
    """For roff: backslashes, and lines that would be requests."""
    return re.sub(r"(?m)^([.'])", r"\\&\1", text.replace("\\", "\\e")).replace("-", "\\-")


def man(commands, version):
    lines = [f'.TH PTOSIM 1 "" "{version}" "User Commands"', ".SH NAME",
             "ptosim \\- simulate Ascend NPU chips running PTO tile kernels", ".SH SYNOPSIS",
             ".B ptosim\n.I COMMAND\n[options]", ".SH COMMANDS"]
    for name, (text, _, _) in commands.items():
        lines += [".TP", f".B {escaped(name)}", escaped(text)]
    for name, (_, _, page) in commands.items():
        lines += [f".SH PTOSIM {name.upper()}", ".nf", escaped(page.rstrip()), ".fi"]
    lines += [".SH EXIT STATUS", ".TP", "0", "it ran, and nothing was found", ".TP", "1", "the kernel is wrong", ".TP",
              "2", "the input cannot be used", ".TP", "3", "the simulator is wrong"]
    return "\n".join(lines) + "\n"


def bash(commands):
    cases = "\n".join(f"        {name}) words='{' '.join(options)}' ;;" for name, (_, options, _) in commands.items())
    return f"""# bash completion of ptosim
_ptosim() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} words=
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W '{" ".join(commands)} help --help --version' -- "$word"))
        return
    fi
    case ${{COMP_WORDS[1]}} in
        help) words='{" ".join(commands)}' ;;
{cases}
    esac
    case ${{COMP_WORDS[COMP_CWORD - 1]}} in
        --chip) words=$(ptosim chips 2>/dev/null | cut -d ' ' -f 1) ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    [[ $word == -* ]] || COMPREPLY+=($(compgen -f -- "$word"))
}}
complete -o filenames -F _ptosim ptosim
"""


def zsh(commands):
    listed = "\n".join(f"        '{name}:{text.replace(chr(39), '')}'" for name, (text, _, _) in commands.items())
    cases = "\n".join(f"        {name}) compadd -- {' '.join(options)} ;;" for name, (_, options, _) in commands.items()
                      if options)
    return f"""#compdef ptosim
local -a commands
commands=(
{listed}
)
if (( CURRENT == 2 )); then
    _describe command commands
elif [[ $PREFIX == -* ]]; then
    case $words[2] in
{cases}
    esac
else
    _files
fi
"""


def fish(commands):
    lines = ["# fish completion of ptosim"]
    for name, (text, options, _) in commands.items():
        lines.append(f"complete -c ptosim -n __fish_use_subcommand -a {name} -d '{text.replace(chr(39), '')}'")
        lines += [f"complete -c ptosim -n '__fish_seen_subcommand_from {name}' -l {option[2:]}" for option in options]
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, prefix = sys.argv[1:-1], sys.argv[-1]
    commands = commands_of(program)
    made = {"man": man(commands, said(program, "--version").strip()), "bash": bash(commands), "zsh": zsh(commands),
            "fish": fish(commands)}
    for name, path in PATHS.items():
        path = os.path.join(prefix, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(made[name])


if __name__ == "__main__":
    main()
