//! Rows of queries as structs.
//!
//! It is written here instead of `#[derive(sqlx::FromRow)]`, which has Cargo build
//! the drivers of both engines, TLS and their C code a second time, for the compiler:
//! a quarter of all units of a first build.

/// A struct that is read from a row of either engine: each field from the column of
/// its name, and a field behind `..` from the same row as a whole.
macro_rules! row {
    ($(#[$meta:meta])* $vis:vis struct $name:ident {
        $($(#[$column_meta:meta])* $column_vis:vis $column:ident: $column_type:ty,)*
        $(..$part_vis:vis $part:ident: $part_type:ty,)*
    }) => {
        $(#[$meta])*
        $vis struct $name {
            $($(#[$column_meta])* $column_vis $column: $column_type,)*
            $($part_vis $part: $part_type,)*
        }

        impl<'r, R> sqlx::FromRow<'r, R> for $name
        where
            R: sqlx::Row,
            &'static str: sqlx::ColumnIndex<R>,
            $($column_type: sqlx::Decode<'r, R::Database> + sqlx::Type<R::Database>,)*
            $($part_type: sqlx::FromRow<'r, R>,)*
        {
            fn from_row(row: &'r R) -> Result<Self, sqlx::Error> {
                Ok(Self {
                    $($column: row.try_get(stringify!($column))?,)*
                    $($part: sqlx::FromRow::from_row(row)?,)*
                })
            }
        }
    };
}
pub(crate) use row;
