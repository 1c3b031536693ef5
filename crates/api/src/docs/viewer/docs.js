// Sets up Swagger UI: what it shows, how it is searched, and samples of each operation.
import { LANGUAGES, liveRequest, sampleRequest } from "/docs/samples.js";

const { SwaggerUIBundle } = globalThis;

/** Every word of the phrase is in what an operation is called. */
function isMeant(operation, tag, words) {
  const { summary = "", operationId = "" } = operation.get("operation").toObject();
  const text = [tag, operation.get("method"), operation.get("path"), summary, operationId].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}

function opsFilter(tagged, phrase) {
  const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
  const meant = (tag, name) =>
    tag.update("operations", (all) => all.filter((operation) => isMeant(operation, name, words)));
  return tagged.map(meant).filter((tag) => tag.get("operations").size > 0);
}

const search = ({ React: { createElement } }) => ({
  fn: { opsFilter },
  components: {
    FilterContainer: ({ layoutSelectors, layoutActions }) => {
      const phrase = layoutSelectors.currentFilter();
      return createElement("search", { className: "wrapper search" }, createElement("input", {
        type: "search",
        "aria-label": "Search operations",
        placeholder: "Search operations: a path, a name, a subject",
        value: typeof phrase === "string" ? phrase : "",
        onChange: (event) => layoutActions.updateFilter(event.target.value),
      }));
    },
  },
});

/** Samples above the answers of each operation. */
const samples = ({ React: { createElement, useState } }) => {
  // The document is large, and made plain once.
  let known = {};
  const plain = (spec) => {
    if (known.spec !== spec) known = { spec, document: spec.toJS() };
    return known.document;
  };
  const Samples = ({ path, method, specSelectors }) => {
    const [chosen, choose] = useState(LANGUAGES[0]);
    const request = sampleRequest(plain(specSelectors.specJson()), path, method, location.origin);
    const tab = (language) => createElement("button", {
      key: language.id,
      type: "button",
      role: "tab",
      "aria-selected": language === chosen,
      onClick: () => choose(language),
    }, language.title);
    return createElement("div", { className: "samples" },
      createElement("h4", null, "Samples"),
      createElement("div", { role: "tablist", "aria-label": "Language" }, LANGUAGES.map(tab)),
      createElement("pre", { tabIndex: 0 }, chosen.write(request)));
  };
  const responses = (Original) => (props) =>
    createElement("div", null, createElement(Samples, props), createElement(Original, props));
  return { wrapComponents: { responses } };
};

/** What was sent by trying, in the same languages. */
const snippets = () => ({
  fn: Object.fromEntries(LANGUAGES.map(({ id, write }) =>
    [`requestSnippetGenerator_${id}`, (request) => write(liveRequest(request.toJS()))])),
});

const dark = matchMedia("(prefers-color-scheme: dark)");
const dress = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", dress);
dress();

SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  filter: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  validatorUrl: null,
  requestSnippetsEnabled: true,
  requestSnippets: {
    defaultExpanded: true,
    generators: Object.fromEntries(LANGUAGES.map(({ id, title, syntax }) => [id, { title, syntax }])),
  },
  plugins: [search, samples, snippets],
});
