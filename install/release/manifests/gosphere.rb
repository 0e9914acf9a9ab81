class Gosphere < Formula
  desc "Jupyter kernel and scripting environment for Go"
  homepage "{{.Repository}}"
  version "{{.Number}}"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "{{.URL "darwin" "arm64"}}"
      sha256 "{{.Sum "darwin" "arm64"}}"
    end
    on_intel do
      url "{{.URL "darwin" "amd64"}}"
      sha256 "{{.Sum "darwin" "amd64"}}"
    end
  end

  on_linux do
    on_arm do
      url "{{.URL "linux" "arm64"}}"
      sha256 "{{.Sum "linux" "arm64"}}"
    end
    on_intel do
      url "{{.URL "linux" "amd64"}}"
      sha256 "{{.Sum "linux" "amd64"}}"
    end
  end

  def install
    bin.install "gosphere"
    prefix.install "LICENSE", "NOTICE"
  end

  def caveats
    <<~EOS
      To make Jupyter offer the kernel, run:
        gosphere install
    EOS
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/gosphere version")
    (testpath/"three.go").write "package main\n\nfunc main() { println(1 + 2) }\n"
    assert_match "3", shell_output("#{bin}/gosphere run three.go 2>&1")
  end
end
