//! Tokens as JSON, written once for as long as the list stays the same.

use super::token::{TokenBody, TokenPageBody};
use crate::{
    dialect::Dialect,
    http::{content::KeptBody, json_answer},
};
use arc_swap::ArcSwapOption;
use market::{Token, TokenList, TokenPage, TokenQuery};
use primitives::{Impossible, OrImpossible as _};
use serde_json::value::{RawValue, to_raw_value};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

/// Pages kept of one list, and the longest query whose page is kept.
const MAX_KEPT_PAGES: usize = 256;
const MAX_KEPT_QUERY_BYTES: usize = 128;

/// The JSON of the tokens of the newest list.
pub(super) struct RenderedTokens {
    dialect: Dialect,
    newest: ArcSwapOption<RenderedList>,
}

type Rendered = Result<Box<RawValue>, Impossible>;

/// The JSON of one list's tokens, by their places in it; each is written when
/// it is first asked for. Pages that many ask for are kept whole: a list never
/// changes, so that the same query has the same answer.
pub(super) struct RenderedList {
    list: Arc<TokenList>,
    dialect: Dialect,
    texts: Box<[OnceLock<Rendered>]>,
    pages: Mutex<HashMap<Box<str>, KeptBody>>,
}

impl RenderedTokens {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            newest: ArcSwapOption::empty(),
        }
    }

    pub(super) fn of(&self, list: &Arc<TokenList>) -> Arc<RenderedList> {
        let newest = self.newest.load();
        if let Some(rendered) = newest.as_ref().filter(|it| Arc::ptr_eq(&it.list, list)) {
            return Arc::clone(rendered);
        }
        let rendered = Arc::new(RenderedList::new(Arc::clone(list), self.dialect));
        self.newest.store(Some(Arc::clone(&rendered)));
        rendered
    }
}

impl RenderedList {
    fn new(list: Arc<TokenList>, dialect: Dialect) -> Self {
        Self {
            texts: list.tokens().iter().map(|_| OnceLock::new()).collect(),
            list,
            dialect,
            pages: Mutex::default(),
        }
    }

    /// The page that the text of a query was answered with before.
    pub(super) fn kept_page(&self, text: &str) -> Option<KeptBody> {
        self.pages().get(text).cloned()
    }

    /// The page that a query asks for; kept under the query's text.
    pub(super) fn page(&self, text: &str, query: &TokenQuery) -> Result<KeptBody, Impossible> {
        let page = KeptBody::new(self.write(&self.list.page(query))?);
        let mut pages = self.pages();
        if pages.len() < MAX_KEPT_PAGES && text.len() <= MAX_KEPT_QUERY_BYTES {
            pages.insert(text.into(), page.clone());
        }
        Ok(page)
    }

    fn pages(&self) -> std::sync::MutexGuard<'_, HashMap<Box<str>, KeptBody>> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One token, with its place in the list.
    pub(super) fn token(&self, (place, token): (usize, &Token)) -> Result<&RawValue, Impossible> {
        let text = self.texts.get(place);
        let text = text.or_impossible("a list has a place for each of its tokens")?;
        let text = text.get_or_init(|| {
            to_raw_value(&TokenBody::new(token, self.dialect))
                .or_impossible("a token can be written")
        });
        text.as_deref().map_err(|impossible| *impossible)
    }

    fn write(&self, page: &TokenPage) -> Result<Vec<u8>, Impossible> {
        let tokens = page.content.iter();
        let tokens = tokens.map(|(place, token)| self.token((*place, token)));
        let body = TokenPageBody {
            content: tokens.collect::<Result<_, _>>()?,
            size: page.size.get(),
            number: page.number,
            total_elements: page.total_elements,
            total_pages: page.total_pages(),
        };
        json_answer::line(&body)
    }
}
