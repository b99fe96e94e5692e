// The gateways, and who is connected to each.
import { useState } from "preact/hooks";
import { call, usePages } from "../api.js";
import { part, span, text } from "../format.js";
import { change, chip, head, html, input, name, removal, table, muted } from "../ui.js";

export function Gateways() {
  const gateways = usePages("gateways");
  const [chosen, choose] = useState("");
  const [search, setSearch] = useState("");
  const here = chosen || text(gateways.items?.find(gateway => gateway.this)?.name ?? "");
  const path = `gateways/${part(here)}/connections`;
  const connections = usePages(here && path + (search && `?search=${encodeURIComponent(search)}`));
  return html`${head("Gateways", undefined, revoking(""))}${table({
    label: "Gateways",
    of: gateways,
    id: "name",
    columns: [
      [
        "Gateway",
        g =>
          html`<button class="link" onClick=${() => choose(text(g.name))}>${name(g.name)}</button> ${g.this && chip("this one", "good")}`,
        "wide",
      ],
      ["Address", "address", "name date"],
      ["Version", "version"],
      ["Up", g => span(Date.now() - g.since), "num"],
      ["Connections", "connections", "number"],
      ["Streams", "streams", "number"],
      ["Sockets", "sockets", "number"],
    ],
  })}
    <div class="tools"><h2>Connections of ${name(here)}</h2><span class="gap"></span>${input("User or address", setSearch)}</div>${table(
      {
        label: "Connections",
        of: connections,
        id: "id",
        empty: "Nobody is connected.",
        columns: [
          ["User", c => (c.user ? name(c.user) : muted("nobody"))],
          ["Address", "address", "name date"],
          ["Kind", c => chip(c.kind)],
          ["What", "what", "name wide"],
          ["Since", "since", "date"],
          ["Sent", "sent", "size"],
          [
            "",
            c => [
              removal(
                "Disconnect",
                `${text(c.user ?? c.address)} (${c.id})`,
                "Its client may connect again.",
                `${path}/${part(String(c.id))}`,
              ),
              c.token && revoking(text(c.token)),
            ],
            "bare",
          ],
        ],
      },
    )}`;
}

/** @param {string} jti */
const revoking = jti =>
  change(
    jti ? "Revoke …" : "Revoke a token …",
    {
      title: "Revoke a token",
      danger: true,
      yes: "Revoke",
      text: "Nobody gets in with it any more, and what it has opened is closed, on every gateway.",
      fields: [{ name: "jti", label: "Its id (the claim jti)", value: jti }],
      act: async values => {
        await call("POST", "revoke", { jti: values.jti });
        return "Revoked.";
      },
    },
    { danger: true, aria: jti && `Revoke ${jti}` },
  );
