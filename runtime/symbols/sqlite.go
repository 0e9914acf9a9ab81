//go:build !js

package symbols

import _ "modernc.org/sqlite" // the driver that cells have without an import
