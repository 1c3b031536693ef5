// The frame: navigation, the newest blocks, notices, and the page that is open.
import { useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { reorganisation } from "./lib/live";
import { notices, say } from "./lib/notices";
import { opened, place } from "./lib/router";
import { choice, choose, nextChoice } from "./lib/theme";
import { isSimulated } from "./lib/settings";
import { find, navigation, type PageProps } from "./routes";
import { Icon, icons } from "./ui/icons";
import { Empty, Page } from "./ui/parts";
import { Ticker } from "./ui/ticker";

export function App() {
  const menu = useSignal(false);
  const main = useRef<HTMLElement>(null);
  const path = place.value.path;
  useEffect(() => {
    menu.value = false;
  }, [path]);
  useEffect(() => {
    if (opened.value > 0) main.current?.focus({ preventScroll: true });
  }, [opened.value]);
  useSignalEffect(() => {
    const it = reorganisation.value;
    if (it) say(`The chain was reorganised: ${it.depth} ${it.depth === 1 ? "block" : "blocks"} after #${it.number} replaced. Reloading figures.`, "news", 8_000);
  });
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="bar">
        <button type="button" class="icon-button menu-button" aria-expanded={menu.value} aria-controls="navigation" onClick={() => (menu.value = !menu.value)}>
          <Icon path={menu.value ? icons.close : icons.menu} />
          <span class="visually-hidden">Menu</span>
        </button>
        <a class="brand" href="/">
          <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
            <path d="M4 6h16M4 19h16" />
            <path d="M7 9v7M12 9v7M17 9v7" />
          </svg>
          Stoa
        </a>
        {isSimulated && <span class="network">Simulated</span>}
        <div class="bar-space" />
        <Ticker />
        <ThemeSwitch />
      </header>
      <nav id="navigation" class={menu.value ? "open" : ""} aria-label="Pages">
        {navigation.map(([group, links]) => (
          <div key={group} class="nav-group">
            <h2>{group}</h2>
            <ul>
              {links.map(([to, text]) => (
                <li key={to}>
                  <a href={to} aria-current={isOpen(to, path) ? "page" : undefined}>
                    <Icon path={icons[text.toLowerCase() as keyof typeof icons] ?? icons.tokens} />
                    {text}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
        <div class="nav-group">
          <h2>More</h2>
          <ul>
            <li>
              <a href="/docs" target="_blank" rel="noopener">
                <Icon path={icons.docs} />
                API reference
              </a>
            </li>
          </ul>
        </div>
      </nav>
      <main id="main" ref={main} tabIndex={-1}>
        <Opened path={path} />
        <footer>
          <p>
            Charts by <a href="https://www.tradingview.com/lightweight-charts/" rel="noopener">TradingView Lightweight Charts™</a>, Copyright © 2025{" "}
            <a href="https://www.tradingview.com/" rel="noopener">TradingView, Inc.</a>, under the Apache License 2.0. <a href="/licenses.txt" target="_blank">Licences</a> of everything this page is built with.
          </p>
        </footer>
      </main>
      <div class="notices" role="status">
        {notices.value.map((notice) => (
          <p key={notice.id} class={`notice ${notice.kind}`}>
            {notice.text}
          </p>
        ))}
      </div>
    </>
  );
}

const isOpen = (to: string, path: string): boolean =>
  to === "/" ? path === "/" || path.startsWith("/token/") : path === to || path.startsWith(`${to}/`);

/** The page of a path; the one before stays until it is loaded. */
function Opened({ path }: { path: string }) {
  const found = find(path);
  const shown = useSignal<{ page: ComponentType<PageProps>; path: string; id: string } | null>(null);
  const failed = useSignal(false);
  useEffect(() => {
    if (!found) return;
    let left = false;
    failed.value = false;
    void Promise.resolve(found.load()).then(
      (page) => {
        if (!left) shown.value = { page, path, id: found.id };
      },
      () => {
        if (!left) failed.value = true;
      },
    );
    return () => {
      left = true;
    };
  }, [path]);
  if (!found)
    return (
      <Page title="Page not found">
        <Empty title="There is no such page">
          The <a href="/">tokens</a> are a good place to start.
        </Empty>
      </Page>
    );
  if (failed.value)
    return (
      <Page title="Page not loaded">
        <Empty title="The page could not be loaded">
          The service may have been updated. <a href={path} onClick={() => location.reload()}>Reload it</a>.
        </Empty>
      </Page>
    );
  const it = shown.value;
  if (!it) return <div class="opening" />;
  const Shown = it.page;
  return <Shown key={it.path} id={it.id} />;
}

const THEMES = { system: "system", light: "light", dark: "dark" };

function ThemeSwitch() {
  const now = choice.value;
  return (
    <button type="button" class="icon-button" title={`Theme: ${THEMES[now]}`} onClick={() => choose(nextChoice(now))}>
      <Icon path={icons[now]} />
      <span class="visually-hidden">
        Theme: {THEMES[now]}. Change to {THEMES[nextChoice(now)]}.
      </span>
    </button>
  );
}
