/** A help page with navigation, an article with headings, a list and a table, links and a footer. */
export const HELP_PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Returns – Hillside Cycles</title>
<meta property="og:site_name" content="Hillside Cycles"><style>.x{color:red}</style>
<script>document.write('never')</script></head>
<body>
<header class="top"><a href="/">Hillside</a></header>
<nav><ul><li><a href="/shop">Shop</a></li><li><a href="/help#top">Help menu</a></li></ul></nav>
<div class="cookie-banner">We use cookies. <button>Accept</button></div>
<main>
<h1>Returns</h1>
<p>You may send back unused articles within <strong>30 days</strong> of the delivery. The refund reaches you within five
working days after we have received the parcel, in the way in which you paid. Please keep the receipt of the carrier until
then, since we cannot find a parcel without its number.</p>
<h2>How to return an article</h2>
<ol><li>Print the label in <a href="account/orders?id=1#label">your orders</a>.</li><li>Pack the article so that it cannot
move.</li><li>Hand it in at a parcel shop.</li></ol>
<h2>What it costs</h2>
<table><caption>Costs by country</caption><thead><tr><th>Country</th><th>Costs</th></tr></thead>
<tbody><tr><td>Germany</td><td>free</td></tr><tr><td>France</td><td>€4.90</td></tr></tbody></table>
<h2>Opening hours of the counter</h2>
<p>Monday to Friday: 9:00 to 18:00<br>Saturday: 10:00 to 14:00</p>
<p>Questions? <a href="mailto:help@hillside.example">Write to us</a> or read <a href="https://other.example/guide">the guide</a>
or <a rel="nofollow" href="/login">log in</a>.</p>
</main>
<footer>Hillside Cycles, 1 Mill Lane</footer>
</body></html>`

/** One part of an e-mail. */
export interface EmailPart {
  readonly contentType: string
  readonly filename?: string
  readonly content: string | Uint8Array
}

const BOUNDARY = '=_part_1'

/** Creates an e-mail with the given headers, parts and attachments. */
export function makeEmail(subject: string, parts: readonly EmailPart[]): Uint8Array {
  const headers = [
    'Return-Path: <anna@hillside.example>',
    'From: Anna Berg <anna@hillside.example>',
    'To: Team <team@hillside.example>',
    `Subject: =?utf-8?B?${Buffer.from(subject).toString('base64')}?=`,
    'Date: Mon, 02 Mar 2026 09:15:00 +0100',
    'MIME-Version: 1.0',
    `Content-Type: multipart/mixed; boundary="${BOUNDARY}${subject.length}"`,
  ]
  const bodies = parts.map(({ contentType, filename, content }) => {
    const disposition = filename === undefined ? '' : `Content-Disposition: attachment; filename="${filename}"\r\n`
    const encoded = Buffer.from(content).toString('base64').replace(/.{76}/g, '$&\r\n')
    return `Content-Type: ${contentType}\r\n${disposition}Content-Transfer-Encoding: base64\r\n\r\n${encoded}\r\n`
  })
  const separator = `--${BOUNDARY}${subject.length}`
  const text = `${headers.join('\r\n')}\r\n\r\n${bodies.map((body) => `${separator}\r\n${body}`).join('')}${separator}--\r\n`
  return new TextEncoder().encode(text)
}

/** Creates a text of at least the given length with distinct paragraphs. */
export function makeLongText(characters: number): string {
  const paragraphs: string[] = []
  let length = 0
  for (let number = 1; length < characters; number += 1) {
    const paragraph =
      `Shelf ${number} holds the spare part W-${number * 7}. It stands in row ${number % 97} of the hall and weighs ` +
      `${(number % 50) + 1} kilograms. Ask the keeper of the hall for the key before you take anything from it.`
    paragraphs.push(paragraph)
    length += paragraph.length + 2
  }
  return paragraphs.join('\n\n')
}
