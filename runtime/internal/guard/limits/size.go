package limits

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseSize parses 2GB, 512MB, 1.5 GiB or a number of bytes. Units are powers of 1024.
func ParseSize(text string) (int64, error) {
	text = strings.ToUpper(strings.TrimSpace(text))
	factor := 1.0
	text = strings.TrimSuffix(strings.TrimSuffix(text, "B"), "I")
	if cut := strings.IndexAny(text, "KMGT"); cut >= 0 && cut == len(text)-1 {
		factor = float64(int64(1) << (10 * (1 + strings.IndexByte("KMGT", text[cut]))))
		text = text[:cut]
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || n < 0 || n*factor >= math.MaxInt64 {
		return 0, fmt.Errorf("limits: %q is no size such as 2GB", text)
	}
	return int64(n * factor), nil
}

// SizeText formats a number of bytes.
func SizeText(n int64) string {
	value, unit := float64(n), "bytes"
	for _, next := range []string{"KB", "MB", "GB", "TB", "PB"} {
		if value < 1024 {
			break
		}
		value, unit = value/1024, next
	}
	return strings.TrimSuffix(strconv.FormatFloat(value, 'f', 1, 64), ".0") + " " + unit
}
