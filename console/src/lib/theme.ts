// Dark or light: as the system says, unless somebody chose.
import { computed, signal } from "@preact/signals";

export type Choice = "system" | "light" | "dark";
const CHOICES: Choice[] = ["system", "light", "dark"];
const KEPT = "stoa-theme";

const system = matchMedia("(prefers-color-scheme: light)");
const systemIsLight = signal(system.matches);
system.addEventListener("change", () => (systemIsLight.value = system.matches));

function kept(): Choice {
  try {
    const choice = localStorage.getItem(KEPT) as Choice | null;
    return choice && CHOICES.includes(choice) ? choice : "system";
  } catch {
    return "system";
  }
}

export const choice = signal<Choice>(kept());

/** What is shown. */
export const theme = computed(() => (choice.value === "system" ? (systemIsLight.value ? "light" : "dark") : choice.value));

theme.subscribe((shown) => (document.documentElement.dataset.theme = shown));

export function choose(next: Choice): void {
  choice.value = next;
  try {
    localStorage.setItem(KEPT, next);
  } catch {
    // A browser that keeps nothing asks the system each time.
  }
}

export const nextChoice = (now: Choice): Choice => CHOICES[(CHOICES.indexOf(now) + 1) % CHOICES.length]!;

/** A custom property, as it is now. */
export const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
