//! Holds the exact maths against what others wrote, or against exact arithmetic
//! in another language.
