//! Tokens as JSON, written once for as long as the list stays the same.

use super::token::TokenBody;
use crate::{dialect::Dialect, http::content::KeptBody};
use arc_swap::ArcSwapOption;
use market::{Page, Token, TokenList, TokenQuery};
use std::{
    collections::HashMap,
    fmt::Write as _,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

/// Bytes of a page apart from its tokens, roughly.
const FRAME_BYTES: usize = 128;

/// Pages kept of one list, and the longest query whose page is kept.
const MAX_KEPT_PAGES: usize = 256;
const MAX_KEPT_QUERY_BYTES: usize = 128;

/// The JSON of the tokens of the newest list.
pub(super) struct RenderedTokens {
    dialect: Dialect,
    newest: ArcSwapOption<RenderedList>,
}

/// The JSON of one list's tokens, by their places in it; each is written when
/// it is first asked for. Pages that many ask for are kept whole: a list never
/// changes, so that the same query has the same answer.
pub(super) struct RenderedList {
    list: Arc<TokenList>,
    dialect: Dialect,
    texts: Box<[OnceLock<Box<str>>]>,
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
    pub(super) fn page(&self, text: &str, query: &TokenQuery) -> KeptBody {
        let page = KeptBody::new(self.write(&self.list.page(query)));
        let mut pages = self.pages();
        if pages.len() < MAX_KEPT_PAGES && text.len() <= MAX_KEPT_QUERY_BYTES {
            pages.insert(text.into(), page.clone());
        }
        page
    }

    fn pages(&self) -> std::sync::MutexGuard<'_, HashMap<Box<str>, KeptBody>> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One token, with its place in the list.
    pub(super) fn token(&self, (place, token): (usize, &Token)) -> &str {
        self.texts.get(place).map_or("null", |text| {
            text.get_or_init(|| render(token, self.dialect))
        })
    }

    fn write(&self, page: &Page) -> String {
        let tokens = page
            .content
            .iter()
            .map(|(place, token)| self.token((*place, token)));
        let length: usize = tokens.clone().map(|token| token.len() + 1).sum();
        let mut text = String::with_capacity(length + FRAME_BYTES);
        text.push_str(r#"{"content":["#);
        for (n, token) in tokens.enumerate() {
            if n > 0 {
                text.push(',');
            }
            text.push_str(token);
        }
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            r#"],"size":{},"number":{},"totalElements":{},"totalPages":{}}}"#,
            page.size,
            page.number,
            page.total_elements,
            page.total_pages()
        );
        text
    }
}

fn render(token: &Token, dialect: Dialect) -> Box<str> {
    // A token is texts and finite numbers: there is nothing that could fail.
    serde_json::to_string(&TokenBody::new(token, dialect))
        .unwrap_or_default()
        .into()
}
