//! Which orders are asked for.

use crate::http::{
    error::{Problems, Rejection, shown},
    query_values::{once, read_number},
};
use primitives::Address;
use serde::Deserialize;
use trading::recurring::{Now, Order, OrderStatus};
use utoipa::{IntoParams, ToSchema};

const DEFAULT_SIZE: u64 = 20;
const MAX_SIZE: u64 = 50;
const MAX_PAGE: u64 = 1_000_000_000;

/// What a list can be sorted by.
const SORTABLE: [(&str, OrderProperty); 3] = [
    ("createdAt", OrderProperty::CreatedAt),
    ("status", OrderProperty::Status),
    ("remainingCycles", OrderProperty::RemainingCycles),
];

const STATUSES: [OrderStatus; 3] = [
    OrderStatus::Indexing,
    OrderStatus::Active,
    OrderStatus::Closed,
];

/// What a status is called.
pub(super) const fn status_name(status: OrderStatus) -> &'static str {
    match status {
        OrderStatus::Indexing => "INDEXING",
        OrderStatus::Active => "ACTIVE",
        OrderStatus::Closed => "CLOSED",
    }
}

/// The query as it is sent.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct OrderListQuery {
    /// Whose orders.
    #[param(value_type = String, required, example = "0x1234")]
    trader_address: Vec<String>,
    /// Orders that do this.
    #[param(value_type = Option<StatusName>, inline, example = "ACTIVE")]
    status: Vec<String>,
    /// The page, from 0.
    #[param(value_type = Option<u64>, minimum = 0, maximum = 1_000_000_000, default = 0, example = 0)]
    page: Vec<String>,
    /// Orders on a page.
    #[param(value_type = Option<u64>, minimum = 1, maximum = 50, default = 20, example = 20)]
    size: Vec<String>,
    /// `property,asc` or `property,desc`, where the property is `createdAt`,
    /// `status` (indexing, active, closed) or `remainingCycles`; among equals the
    /// one that was created last comes first.
    #[param(value_type = Option<String>, pattern = "^(createdAt|status|remainingCycles),(asc|desc)$", default = "createdAt,desc", example = "createdAt,desc")]
    sort: Vec<String>,
}

/// What an order does.
#[derive(ToSchema)]
#[schema(as = OrderStatus, rename_all = "UPPERCASE")]
#[expect(dead_code, reason = "only describes the names")]
pub(super) enum StatusName {
    Indexing,
    Active,
    Closed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OrderProperty {
    CreatedAt,
    Status,
    RemainingCycles,
}

/// Which orders are asked for, and in which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OrderList {
    pub(super) trader: Address,
    status: Option<OrderStatus>,
    pub(super) page: u64,
    pub(super) size: u64,
    sort: OrderProperty,
    is_descending: bool,
}

impl OrderListQuery {
    /// Everything wrong with it is told at once.
    pub(super) fn read(&self) -> Result<OrderList, Rejection> {
        let mut problems = Problems::default();
        let trader = read_trader(&self.trader_address, &mut problems);
        let status = read_status(&self.status, &mut problems);
        let (sort, is_descending) = read_sort(&self.sort, &mut problems);
        let page = read_number("page", &self.page, 0..=MAX_PAGE, &mut problems);
        let size = read_number("size", &self.size, 1..=MAX_SIZE, &mut problems);
        problems.none()?;
        Ok(OrderList {
            // What is missing is a problem that was told.
            trader: trader.ok_or(Rejection::Internal)?,
            status,
            page: page.unwrap_or(0),
            size: size.unwrap_or(DEFAULT_SIZE),
            sort,
            is_descending,
        })
    }
}

impl OrderList {
    /// The orders of the page, and how many there are on all pages; of orders
    /// that come as they were created.
    pub(super) fn page<'a>(
        &self,
        orders: impl DoubleEndedIterator<Item = &'a Order>,
        now: Now,
    ) -> (Vec<&'a Order>, usize) {
        let wanted = |order: &&Order| self.status.is_none_or(|it| order.status(now) == it);
        // The newest first: sorting keeps that among equals.
        let mut orders: Vec<&Order> = orders.rev().filter(wanted).collect();
        match self.sort {
            OrderProperty::CreatedAt if self.is_descending => {}
            OrderProperty::CreatedAt => orders.reverse(),
            OrderProperty::Status => self.sort_by(&mut orders, |order| order.status(now)),
            OrderProperty::RemainingCycles => {
                self.sort_by(&mut orders, |order| order.counts(now).pending);
            }
        }
        let total = orders.len();
        let skipped = usize::try_from(self.page.saturating_mul(self.size)).unwrap_or(usize::MAX);
        let size = usize::try_from(self.size).unwrap_or(usize::MAX);
        let page = orders.into_iter().skip(skipped).take(size);
        (page.collect(), total)
    }

    fn sort_by<K: Ord>(&self, orders: &mut [&Order], key: impl Fn(&Order) -> K) {
        if self.is_descending {
            orders.sort_by_cached_key(|order| std::cmp::Reverse(key(order)));
        } else {
            orders.sort_by_cached_key(|order| key(order));
        }
    }
}

fn read_trader(given: &[String], problems: &mut Problems) -> Option<Address> {
    let name = "traderAddress";
    if given.is_empty() {
        problems.add(format!("{name} is required"));
    }
    let text = once(name, given, problems)?;
    let read = text.parse();
    read.map_err(|error| problems.add(format!("{name} {} {error}", shown(text))))
        .ok()
}

fn read_status(given: &[String], problems: &mut Problems) -> Option<OrderStatus> {
    let text = once("status", given, problems)?;
    let found = STATUSES.into_iter().find(|it| status_name(*it) == text);
    if found.is_none() {
        let names = STATUSES.map(status_name).join(", ");
        problems.add(format!(
            "status must be one of {names}, not {}",
            shown(text)
        ));
    }
    found
}

fn read_sort(given: &[String], problems: &mut Problems) -> (OrderProperty, bool) {
    let default = (OrderProperty::CreatedAt, true);
    let Some(text) = once("sort", given, problems) else {
        return default;
    };
    let (property, direction) = text.split_once(',').unwrap_or((text, ""));
    let property = SORTABLE.iter().find(|(name, _)| *name == property);
    let is_descending = match direction {
        "asc" => Some(false),
        "desc" => Some(true),
        _ => None,
    };
    let Some(((_, property), is_descending)) = property.zip(is_descending) else {
        problems.add(format!(
            "sort must be one of {}, then a comma and asc or desc, not {}",
            SORTABLE.map(|(name, _)| name).join(", "),
            shown(text)
        ));
        return default;
    };
    (*property, is_descending)
}
