#!/usr/bin/env python3
"""Compiles the files of kernels to one kernels.ptx with NVRTC, which needs no card and no driver.

    python3 -m venv V && V/bin/pip install -r requirements.txt && V/bin/python make.py

The first line of the result has the checksum of the source, which a test compares. The language version of PTX is that of
CUDA 11.8, so that drivers from 520 on take it; the target is compute capability 7.5.
"""
import ctypes
import glob
import hashlib
import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
FILES = ["step.cu", "pairs.cu", "heads.cu", "masks.cu", "evidence.cu", "sample.cu", "product.cu", "sigmoid.cu", "symmetric.cu", "inclusion.cu", "adamp.cu"]
OPTIONS = [b"--gpu-architecture=compute_75", b"--std=c++14"]


def library():
    for place in sys.path:
        for path in glob.glob(os.path.join(place, "nvidia", "cuda_nvrtc", "lib", "libnvrtc.so.11*")):
            return ctypes.CDLL(path)
    sys.exit("make.py: no libnvrtc; pip install -r requirements.txt")


def compile_source(nvrtc, source):
    program = ctypes.c_void_p()
    options = (ctypes.c_char_p * len(OPTIONS))(*OPTIONS)
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"kernels.cu", 0, None, None)
    failed = nvrtc.nvrtcCompileProgram(program, len(OPTIONS), options)
    size = ctypes.c_size_t()
    if failed:
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        sys.exit(log.value.decode())
    nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size))
    ptx = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetPTX(program, ptx)
    return ptx.value


def main():
    source = b""
    for name in FILES:
        with open(os.path.join(FOLDER, name), "rb") as file:
            source += file.read()
    ptx = compile_source(library(), source)
    made = f"// Made by make.py from {', '.join(FILES)}, sha256 {hashlib.sha256(source).hexdigest()}.\n"
    with open(os.path.join(FOLDER, "kernels.ptx"), "wb") as file:
        file.write(made.encode() + ptx)


if __name__ == "__main__":
    main()
