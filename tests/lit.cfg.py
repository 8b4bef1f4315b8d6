# How lit runs the tests of tcpc: one folder a stage, a RUN line names the stage.  The paths come from lit.site.cfg.py,
# which CMake writes into the build folder.
import glob
import os
import shutil
import subprocess
import sys


sys.path.insert(0, os.path.join(os.path.dirname(__file__), "tools"))
from lit_format import Tests  # noqa: E402

config.name = "tcpc"
config.suffixes = [".tcp", ".test"]
config.excludes = ["unit", "golden", "tools", "coverage", "requirements.txt", "CMakeLists.txt", "Inputs", "fuzz", "gpu", "mutants", "random", "judge", "left_out"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.tcpc_build, "tests")
# The whole suite, or what a list of tests/left_out leaves of it, or what it names.
config.test_format = Tests(config.test_source_root, "sanitized" if config.tcpc_sanitize else lit_config.params.get("chosen", ""))

# Seconds a test; under the sanitizers everything is slower.
lit_config.maxIndividualTestTime = 240 if config.tcpc_sanitize else 120

for name in ("HOME", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "CUDA_VISIBLE_DEVICES", "CUDA_HOME", "LD_LIBRARY_PATH",
             "TMPDIR", "TCPC_SEED"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
config.environment["NO_COLOR"] = "1"
config.environment["LC_ALL"] = "C.UTF-8"
config.environment["COMPILER_PATH"] = os.path.join(config.tcpc_build, "ld")  # a faster linker, if there is one


def find(*names):
    """The first of the programs 'names' that is there, else None."""
    for name in names:
        path = shutil.which(name)
        if path:
            return path
    return None


def has_gpu():
    """Whether nvidia-smi sees a device."""
    smi = find("nvidia-smi")
    if not smi:
        return False
    try:
        listed = subprocess.run([smi, "-L"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return listed.returncode == 0 and "GPU 0" in listed.stdout


def find_nvrtc():
    """The library of NVRTC: of a CUDA toolkit, or of the package nvidia-cuda-nvrtc; else None."""
    folders = [os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "lib64")]
    for site in sys.path:
        folders += glob.glob(os.path.join(site, "nvidia", "*", "lib"))
    for folder in folders:
        found = sorted(glob.glob(os.path.join(folder, "libnvrtc.so*")))
        if found:
            return found[-1]
    return None


llvm = "/usr/lib/llvm-14/bin/"
filecheck = find(llvm + "FileCheck", "FileCheck-14", "FileCheck")
negate = find(llvm + "not", "not-14", "not")
if not filecheck or not negate:
    lit_config.fatal("FileCheck and not are missing (Debian: llvm-14-tools)")

# A substitution that is the beginning of another one stands after it.
config.substitutions += [
    ("%FileCheck", filecheck),
    ("%not", negate),
    ("%tcpc", os.path.join(config.tcpc_build, "bin", "tcpc")),
    ("%runtime", os.path.join(config.tcpc_source, "runtime")),
    ("%examples", os.path.join(config.tcpc_source, "examples")),
    ("%plans", os.path.join(config.tcpc_source, "tests", "plans")),
    ("%source", config.tcpc_source),
    ("%build", config.tcpc_build),
    ("%python", config.tcpc_python),
    ("%names", "joined" if config.tcpc_sanitize else "each"),
    # of a compile that is not to take long; whether it does is asked of the release build alone
    ("%seconds", "20" if config.tcpc_sanitize else "2"),
    ("%timed", "true ||" if config.tcpc_sanitize else ""),
    # what the sanitizers would say nothing new of
    ("%released", "true ||" if config.tcpc_sanitize else ""),
    # a test of many like cases takes one of so many
    ("%part", "4" if config.tcpc_sanitize else "1"),
    # random kernels in a test
    ("%kernels", "20" if config.tcpc_sanitize else "240"),
    ("%bin", os.path.join(config.tcpc_build, "bin")),
]

# What links with the host's runtime is built as it is.
host_flags = " -fsanitize=address,undefined -fno-sanitize-recover=all" if config.tcpc_sanitize else ""
config.substitutions.append(("%host_flags", host_flags))

cc = find("gcc", "cc")
if cc:
    config.substitutions.append(("%cc", cc + " -std=c11"))
cxx = find("g++", "c++")
if cxx:
    config.available_features.add("cxx")
    config.substitutions.append(("%cxx", cxx + " -std=c++17"))
clangxx = find("clang++")
if clangxx:
    config.available_features.add("clang")
    config.substitutions.append(("%clangxx", clangxx + " -std=c++17"))

# Drawings as TikZ are typeset where there is what they need.
if find("pdflatex") and find("kpsewhich") and subprocess.run(["kpsewhich", "standalone.cls", "tikz.sty"], capture_output=True,
                                                             check=False).returncode == 0:
    config.available_features.add("pdflatex")
if find("rsvg-convert"):
    config.available_features.add("rsvg")
if find("xmllint"):
    config.available_features.add("xmllint")

cuda_bin = "/usr/local/cuda/bin/"
nvcc = find("nvcc", cuda_bin + "nvcc")
if nvcc:
    config.available_features.add("nvcc")
    config.substitutions += [("%nvcc_program", nvcc), ("%nvcc", nvcc + " -std=c++17")]
    for tool in ("cuobjdump", "compute-sanitizer"):
        path = find(tool, cuda_bin + tool)
        if path:
            config.available_features.add(tool)
            config.substitutions.append(("%" + tool.replace("-", "_"), path))
if nvcc and has_gpu():
    config.available_features.add("gpu")
nvrtc = find_nvrtc()
if nvrtc:
    config.available_features.add("nvrtc")
    config.substitutions.insert(0, ("%nvrtc", nvrtc))
if config.tcpc_sanitize:
    config.available_features.add("sanitize")

# tcpc run finds nvcc and the host compiler in the path.
path = [os.path.dirname(nvcc)] if nvcc else []
config.environment["PATH"] = os.pathsep.join(path + [os.environ.get("PATH", "/usr/bin:/bin")])
