// Markup in templates: inserted values are text, and never parsed as markup.
import { h } from "preact";
import htm from "htm";

/** @type {(strings: TemplateStringsArray, ...values: any[]) => import("preact").VNode<any>} */
export const html = /** @type {any} */ (htm.bind(h));
