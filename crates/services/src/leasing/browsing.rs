//! Finding validators.

use super::{
    page::Page,
    pages::{Browse, BrowseKey, Sort, ValidatorPage},
    validator_view::{ValidatorView, view},
    validators::Validators,
};
use crate::fault::Fault;
use leasing::{HORIZON, Mode, Occupancy, Share, next_free_epoch};
use primitives::{Lamports, Ulid};
use std::{collections::HashMap, sync::Arc};
use store::leasing::{BrowseOrder, BrowseQuery};

impl Validators {
    /// Listed validators. What other replicas changed may be a second late.
    pub async fn browse(&self, browse: &Browse) -> Result<ValidatorPage, Fault> {
        let context = &*self.0;
        let now = context.now();
        let version = match context.pages.find(browse, now) {
            Ok(page) => return Ok(page),
            Err(version) => version,
        };
        let page = Arc::new(self.page(browse).await?);
        context.pages.keep(browse, &page, now, version);
        Ok(page)
    }
}

impl Validators {
    async fn page(&self, browse: &Browse) -> Result<Page<ValidatorView, BrowseKey>, Fault> {
        // An amount beyond the column is beyond every price.
        let bound = |amount: Lamports| i64::try_from(amount.get()).unwrap_or(i64::MAX);
        let query = BrowseQuery {
            price_min: browse.price_min.map(bound),
            price_max: browse.price_max.map(bound),
            region: browse.region.clone(),
            tier: browse.tier,
            mode: browse.mode,
            available_epoch: browse.available_epoch,
            order: match browse.sort {
                Sort::Price => BrowseOrder::Price,
                Sort::Stake => BrowseOrder::Stake,
                Sort::Rating => BrowseOrder::Rating,
                Sort::Uptime => BrowseOrder::Uptime,
                Sort::Effectiveness => BrowseOrder::Effectiveness,
                Sort::Newest => BrowseOrder::Newest,
            },
            after: browse.after.map(|key| (key.value, key.id)),
            limit: browse.limit.saturating_add(1),
        };
        let rows = self.0.store.ledger().browse(&query).await?;
        let millionths = |share: Option<Share>| share.map_or(-1, |it| i64::from(it.millionths()));
        let page = Page::new(rows, usize::from(browse.limit), |row| BrowseKey {
            value: match (browse.sort, browse.mode) {
                (Sort::Price, Some(Mode::Shared)) => {
                    row.terms.shared.map_or(0, |shared| bound(shared.price))
                }
                (Sort::Price, _) => bound(row.terms.price),
                (Sort::Stake, _) => bound(row.stake.stake),
                (Sort::Rating, _) => {
                    let average = row.rating.average_thousandths().unwrap_or(0);
                    i64::try_from(average).unwrap_or(i64::MAX)
                }
                (Sort::Uptime, _) => millionths(row.performance.uptime),
                (Sort::Effectiveness, _) => millionths(row.performance.effectiveness),
                (Sort::Newest, _) => 0,
            },
            id: row.id,
        });
        let mut page = page.map(view);
        self.fill_in_next_free(&mut page.items).await?;
        Ok(page)
    }

    async fn fill_in_next_free(&self, views: &mut [ValidatorView]) -> Result<(), Fault> {
        let Some(now) = self.0.epochs.number() else {
            return Ok(());
        };
        let ids: Vec<Ulid> = views.iter().map(|view| view.id).collect();
        let until = now.saturating_add(HORIZON);
        let mut booked: HashMap<Ulid, Vec<Occupancy>> = HashMap::new();
        for row in self.0.store.ledger().booked(&ids, now, until).await? {
            booked.entry(row.validator).or_default().push(row.occupancy);
        }
        for view in views {
            let booked = booked.get(&view.id).map_or(&[][..], Vec::as_slice);
            view.next_free_epoch = next_free_epoch(now, booked);
        }
        Ok(())
    }
}
