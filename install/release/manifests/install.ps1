<#
.SYNOPSIS
Installs gosphere {{.Number}}, a Jupyter kernel for Go, for this user on Windows.

.DESCRIPTION
Takes the archive of this machine's platform and SHA256SUMS from the folder of this script, or downloads them if they
are not there. Compares the checksum, places the program in a folder that it adds to the user's PATH, and runs
"gosphere install", which makes Jupyter offer it. Run it again to upgrade. To remove it, run "gosphere uninstall" and
delete the folder. The variable GOSPHERE_REPOSITORY names another place to download from.

.EXAMPLE
.\install.ps1 -Version v{{.Number}} -Dir D:\tools\gosphere -Proxy http://proxy.example:3128
#>
param(
	[string]$Version = "{{.Version}}",
	[string]$Dir = (Join-Path $env:LOCALAPPDATA "Programs\gosphere"),
	[string]$Proxy = "",
	[switch]$NoKernel,
	[switch]$NoPath
)
$ErrorActionPreference = "Stop"
$ProgressPreference = "SilentlyContinue"
[Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12

$Repository = if ($env:GOSPHERE_REPOSITORY) { $env:GOSPHERE_REPOSITORY } else { "{{.Repository}}" }
$Version = "v" + $Version.TrimStart("v")
# A 32-bit PowerShell on a 64-bit system names the system's processor in the second variable.
$processor = if ($env:PROCESSOR_ARCHITEW6432) { $env:PROCESSOR_ARCHITEW6432 } else { $env:PROCESSOR_ARCHITECTURE }
switch ($processor) {
	"AMD64" { $arch = "amd64" }
	"ARM64" { $arch = "arm64" }
	default { throw "there is no gosphere for the processor $processor" }
}
$archive = "gosphere_$($Version.Substring(1))_windows_$arch.zip"
$from = "$Repository/releases/download/$Version"
$work = Join-Path ([IO.Path]::GetTempPath()) ([Guid]::NewGuid().ToString())
New-Item -ItemType Directory -Path $work | Out-Null
try {
	$options = @{ UseBasicParsing = $true }
	if ($Proxy) { $options.Proxy = $Proxy }
	$beside = $PSScriptRoot -and -not $env:GOSPHERE_REPOSITORY -and
		(Test-Path (Join-Path $PSScriptRoot $archive)) -and (Test-Path (Join-Path $PSScriptRoot "SHA256SUMS"))
	if ($beside) {
		Write-Output "archive     $(Join-Path $PSScriptRoot $archive)"
		Copy-Item (Join-Path $PSScriptRoot "SHA256SUMS"), (Join-Path $PSScriptRoot $archive) $work
	} elseif (-not $Repository) {
		throw "$archive and SHA256SUMS are not beside this script, and this release has no address: set GOSPHERE_REPOSITORY"
	} else {
		Write-Output "download    $from/$archive"
		Invoke-WebRequest @options -Uri "$from/SHA256SUMS" -OutFile (Join-Path $work "SHA256SUMS")
		Invoke-WebRequest @options -Uri "$from/$archive" -OutFile (Join-Path $work $archive)
	}
	$line = Get-Content (Join-Path $work "SHA256SUMS") | Where-Object { $_ -match "^[0-9a-f]{64}  $([regex]::Escape($archive))$" }
	if (-not $line) { throw "SHA256SUMS of $Version does not name $archive" }
	$want = $line.Substring(0, 64)
	$got = (Get-FileHash -Algorithm SHA256 (Join-Path $work $archive)).Hash.ToLower()
	if ($got -ne $want) { throw "the checksum of $archive is $got, SHA256SUMS says ${want}: nothing is installed" }
	Expand-Archive -Path (Join-Path $work $archive) -DestinationPath (Join-Path $work "files")
	New-Item -ItemType Directory -Force -Path $Dir | Out-Null
	$program = Join-Path $Dir "gosphere.exe"
	if (Test-Path $program) {
		# A running program cannot be overwritten, but it can be renamed.
		Remove-Item (Join-Path $Dir "gosphere.exe.*.old") -ErrorAction SilentlyContinue
		Move-Item $program "$program.$([Guid]::NewGuid()).old"
	}
	Copy-Item (Join-Path $work "files\gosphere.exe") $program
	Write-Output "program     $program"
	if (-not $NoKernel) {
		& $program install --user
		if ($LASTEXITCODE -ne 0) { throw "gosphere install ended with status $LASTEXITCODE" }
	}
	$path = [Environment]::GetEnvironmentVariable("Path", "User")
	if (-not $NoPath -and ($path -split ";") -notcontains $Dir) {
		[Environment]::SetEnvironmentVariable("Path", (@($path, $Dir) | Where-Object { $_ }) -join ";", "User")
		Write-Output "$Dir is on PATH in new windows."
	}
} finally {
	Remove-Item -Recurse -Force $work
}
