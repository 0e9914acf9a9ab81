#!/bin/sh
# Installs gosphere {{.Number}}, a Jupyter kernel for Go, for this user on Linux or macOS:
#
#     sh install.sh [--version VERSION] [--dir DIR] [--proxy URL] [--no-kernel]
#     sh install.sh --uninstall [--dir DIR]
#
# It takes the archive of this machine's platform and SHA256SUMS from the folder of this script, or downloads them if
# they are not there. It compares the checksum, places the program in DIR (~/.local/bin) and runs "gosphere install",
# which makes Jupyter offer it. Nothing else is changed. Run it again to upgrade; --uninstall removes the program and
# its kernelspecs. GOSPHERE_REPOSITORY names another place to download from.
set -eu

version={{.Version}}
dir=${HOME:+$HOME/.local/bin}
kernel=yes
remove=no
repository=${GOSPHERE_REPOSITORY:-{{.Repository}}}

fail() {
	echo "install.sh: $*" >&2
	exit 1
}

usage() {
	echo "usage: install.sh [--version VERSION] [--dir DIR] [--proxy URL] [--no-kernel] [--uninstall]"
}

while [ $# -gt 0 ]; do
	case $1 in
	--version | --dir | --proxy)
		[ $# -ge 2 ] || fail "$1 wants a value"
		case $1 in
		--version) version=v${2#v} ;;
		--dir) dir=$2 ;;
		--proxy)
			http_proxy=$2 https_proxy=$2 HTTPS_PROXY=$2
			export http_proxy https_proxy HTTPS_PROXY
			;;
		esac
		shift 2
		;;
	--no-kernel) kernel=no && shift ;;
	--uninstall) remove=yes && shift ;;
	-h | --help) usage && exit ;;
	*) usage >&2 && fail "unknown argument $1" ;;
	esac
done
[ -n "$dir" ] || fail "HOME is not set: name a folder with --dir"

if [ $remove = yes ]; then
	[ -x "$dir/gosphere" ] || fail "there is no program $dir/gosphere: name its folder with --dir"
	"$dir/gosphere" uninstall || echo "no kernelspec was removed"
	rm -f "$dir/gosphere"
	echo "removed     $dir/gosphere"
	exit
fi

case $(uname -s) in
Linux) system=linux ;;
Darwin) system=darwin ;;
*) fail "there is no gosphere for $(uname -s); on Windows, use install.ps1" ;;
esac
case $(uname -m) in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) fail "there is no gosphere for the processor $(uname -m)" ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# download URL FILE
download() {
	if command -v curl >/dev/null; then
		curl --fail --silent --show-error --location --retry 2 --output "$2" "$1" || fail "cannot download $1"
	elif command -v wget >/dev/null; then
		wget --quiet --tries 3 --output-document "$2" "$1" || fail "cannot download $1"
	else
		fail "neither curl nor wget is here"
	fi
}

# checksum FILE
checksum() {
	if command -v sha256sum >/dev/null; then
		sha256sum "$1" | cut -d ' ' -f 1
	elif command -v shasum >/dev/null; then
		shasum -a 256 "$1" | cut -d ' ' -f 1
	elif command -v openssl >/dev/null; then
		openssl dgst -sha256 "$1" | sed 's/.*= *//'
	else
		fail "neither sha256sum nor shasum nor openssl is here"
	fi
}

archive=gosphere_${version#v}_${system}_$arch.tar.gz
here=
case $0 in
*install.sh) here=$(cd "$(dirname "$0")" && pwd) ;; # and not the name of a shell that reads the script
esac
if [ -n "$here" ] && [ -z "${GOSPHERE_REPOSITORY:-}" ] && [ -f "$here/$archive" ] && [ -f "$here/SHA256SUMS" ]; then
	echo "archive     $here/$archive"
	cp "$here/SHA256SUMS" "$here/$archive" "$work"
else
	[ -n "$repository" ] || fail "$archive and SHA256SUMS are not beside this script, and this release has no address: set GOSPHERE_REPOSITORY"
	from=$repository/releases/download/$version
	echo "download    $from/$archive"
	download "$from/SHA256SUMS" "$work/SHA256SUMS"
	download "$from/$archive" "$work/$archive"
fi
want=$(sed -n "s/^\([0-9a-f]\{64\}\)  $archive\$/\1/p" "$work/SHA256SUMS")
[ -n "$want" ] || fail "SHA256SUMS of $version does not name $archive"
got=$(checksum "$work/$archive")
[ "$got" = "$want" ] || fail "the checksum of $archive is $got, SHA256SUMS says $want: nothing is installed"

tar -xzf "$work/$archive" -C "$work" gosphere
"$work/gosphere" version >/dev/null || fail "the program does not run on this machine"
mkdir -p "$dir"
# The new program is moved over the old one, which may be running.
cp "$work/gosphere" "$dir/.gosphere.new"
chmod 755 "$dir/.gosphere.new"
mv -f "$dir/.gosphere.new" "$dir/gosphere"
echo "program     $dir/gosphere"
if [ $kernel = yes ]; then
	"$dir/gosphere" install --user
fi
case :$PATH: in
*":$dir:"*) ;;
*) echo "$dir is not on PATH; add it with: export PATH=\"$dir:\$PATH\"" ;;
esac
