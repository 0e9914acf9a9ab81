package symbols

import _ "gosphere/runtime/internal/override/popular" // overrides of functions in the tables
