//! Quotes, fees and the calls that execute them.
