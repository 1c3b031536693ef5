mod info;
mod operations;
mod refusals;
mod story;
mod support;
