//! People.

use super::{LedgerTx, columns};
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
    row::row,
};
use leasing::{Party, Roles};
use primitives::{PublicKey, Timestamp, Ulid};

const TABLE: &str = "lease_user";

/// Somebody with an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// The public id.
    pub id: Ulid,
    /// The wallet that they sign in with.
    pub address: Option<PublicKey>,
    /// What they call themselves.
    pub display_name: Option<String>,
    /// Where they can be reached.
    pub email: Option<String>,
    /// What they may do.
    pub roles: Roles,
    /// Since when.
    pub created_at: Timestamp,
}

impl User {
    /// The user, as far as what they may do depends on it.
    pub fn party(&self) -> Party {
        Party {
            user: self.id,
            roles: self.roles,
        }
    }
}

row! {
    pub(super) struct StoredUser {
        id: String,
        address: Option<Vec<u8>>,
        display_name: Option<String>,
        email: Option<String>,
        trader: i64,
        validator: i64,
        staff: i64,
        created_at: i64,
    }
}

impl StoredUser {
    pub(super) fn decode(self) -> Result<User, StoreError> {
        let column = columns(TABLE);
        Ok(User {
            id: column("id").id(&self.id)?,
            address: column("address").keys(self.address.as_deref())?,
            display_name: self.display_name,
            email: self.email,
            roles: Roles {
                trader: column("trader").flag(self.trader)?,
                validator: column("validator").flag(self.validator)?,
                staff: column("staff").flag(self.staff)?,
            },
            created_at: column("created_at").time(self.created_at)?,
        })
    }
}

impl LedgerTx {
    /// Adds a user. A wallet that is another's is [`StoreError::Exists`].
    pub async fn insert_user(&mut self, user: &User) -> Result<(), StoreError> {
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO lease_user
                 (id, address, display_name, email, trader, validator, staff, created_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            )
            .bind(user.id.to_string())
            .bind(user.address.as_ref().map(|key| key.as_bytes().as_slice()))
            .bind(&user.display_name)
            .bind(&user.email)
            .bind(i64::from(user.roles.trader))
            .bind(i64::from(user.roles.validator))
            .bind(i64::from(user.roles.staff))
            .bind(user.created_at.as_microsecond())
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(TABLE))
    }

    /// Gives a user other roles. `false` if there is none of this id.
    pub async fn set_roles(&mut self, user: Ulid, roles: Roles) -> Result<bool, StoreError> {
        let changed = on!(tx &mut self.0, connection =>
            sqlx::query(
                "UPDATE lease_user SET trader = $2, validator = $3, staff = $4 WHERE id = $1",
            )
            .bind(user.to_string())
            .bind(i64::from(roles.trader))
            .bind(i64::from(roles.validator))
            .bind(i64::from(roles.staff))
            .execute(connection)
            .await
            .map(|done| done.rows_affected())
        )
        .map_err(in_table(TABLE))?;
        Ok(changed == 1)
    }
}

impl LedgerStore {
    /// The user of an id.
    pub async fn user(&self, id: Ulid) -> Result<Option<User>, StoreError> {
        let user: Option<StoredUser> = on!(reader self.db(), pool =>
            sqlx::query_as("SELECT * FROM lease_user WHERE id = $1")
                .bind(id.to_string())
                .fetch_optional(pool)
                .await
        )
        .map_err(in_table(TABLE))?;
        user.map(StoredUser::decode).transpose()
    }

    /// The user of a wallet.
    pub async fn user_of(&self, address: PublicKey) -> Result<Option<User>, StoreError> {
        let user: Option<StoredUser> = on!(reader self.db(), pool =>
            sqlx::query_as("SELECT * FROM lease_user WHERE address = $1")
                .bind(address.as_bytes().as_slice())
                .fetch_optional(pool)
                .await
        )
        .map_err(in_table(TABLE))?;
        user.map(StoredUser::decode).transpose()
    }

    /// Users by their ids, after one.
    pub async fn users(&self, after: Option<Ulid>, limit: u16) -> Result<Vec<User>, StoreError> {
        let after = after.map_or_else(String::new, |id| id.to_string());
        let users: Vec<StoredUser> = on!(reader self.db(), pool =>
            sqlx::query_as("SELECT * FROM lease_user WHERE id > $1 ORDER BY id LIMIT $2")
                .bind(after)
                .bind(i64::from(limit))
                .fetch_all(pool)
                .await
        )
        .map_err(in_table(TABLE))?;
        users.into_iter().map(StoredUser::decode).collect()
    }
}
