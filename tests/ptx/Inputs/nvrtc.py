"""usage: nvrtc.py LIBRARY -arch=sm_NN [-IFOLDER].. -ptx FILE -o OUT: compiles FILE as device code with NVRTC, the library LIBRARY, and with
no headers but those of the folders, and writes its PTX to OUT. Needs no GPU; a warning is an error."""

import ctypes
import pathlib
import re
import sys


def least_arch(path, wanted):
    """'wanted', or what the emitted file at 'path' is for where that is newer: "sm_90"."""
    made = re.match(r"// Made by .* for sm_(\d+)", path.read_text())
    return f"sm_{max(int(made[1]) if made else 0, int(wanted[3:]))}"


class Compiler:
    def __init__(self, library):
        self.nvrtc = ctypes.CDLL(library)
        self.nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p

    def check(self, status):
        if status != 0:
            sys.exit("NVRTC: " + self.nvrtc.nvrtcGetErrorString(status).decode())

    def text(self, program, what):
        size = ctypes.c_size_t()
        self.check(getattr(self.nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
        text = ctypes.create_string_buffer(size.value + 1)
        self.check(getattr(self.nvrtc, f"nvrtcGet{what}")(program, text))
        return text.value.decode().strip()

    def ptx(self, path, options):
        """The PTX of the file at 'path', or None; and what NVRTC says."""
        program = ctypes.c_void_p()
        self.check(self.nvrtc.nvrtcCreateProgram(ctypes.byref(program), path.read_bytes(), path.name.encode(), 0, None, None))
        words = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
        status = self.nvrtc.nvrtcCompileProgram(program, len(options), words)
        said = self.text(program, "ProgramLog")
        return (self.text(program, "PTX") if status == 0 else None), said


def main():
    words = sys.argv[2:]
    path, out = words[words.index("-ptx") + 1], words[words.index("-o") + 1]
    ptx, said = Compiler(sys.argv[1]).ptx(pathlib.Path(path), [w for w in words if w.startswith(("-arch=", "-I"))])
    if said or ptx is None:
        sys.exit(f"{path}: {said or 'no PTX'}")
    pathlib.Path(out).write_text(ptx + "\n")


if __name__ == "__main__":
    main()
