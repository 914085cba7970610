import type { Branding } from '@parley/contract/branding'

const PLACEHOLDER = /__(PRODUCT_NAME|FAVICON|BRAND)__/g
/** Part of the build. */
const DEFAULT_FAVICON = '/favicon.svg'
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** The page with a brand in it, so that a browser shows the right one from the first picture on. */
export function fillPage(page: string, brand: Branding): string {
  const values: Readonly<Record<string, string>> = {
    PRODUCT_NAME: escapeHtml(brand.productName),
    FAVICON: escapeHtml(brand.faviconUrl ?? DEFAULT_FAVICON),
    BRAND: escapeScript(JSON.stringify(brand)),
  }
  // In one pass, by a function: a name such as `__BRAND__` or `$&` stays what it is.
  return page.replace(PLACEHOLDER, (placeholder, name: string) => values[name] ?? placeholder)
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}

/** The same JSON without anything that ends a script or is a line to one. */
function escapeScript(json: string): string {
  return json.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** What is shown where nobody has built the dashboard. */
export const NOT_BUILT_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>The dashboard is not built</title>
  </head>
  <body>
    <h1>The dashboard is not built</h1>
    <p>The API works. <code>npm start</code> builds the dashboard before the server runs; <code>npm run build</code> builds
    it for a server that is started in another way. Then load this page again.</p>
  </body>
</html>
`
