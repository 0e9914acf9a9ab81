package symbols

import _ "gosphere/internal/runtime/override/popular" // overrides of functions in the tables
