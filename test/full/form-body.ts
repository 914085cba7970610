import fc from 'fast-check'

/** A `multipart/form-data` body with text lines. */
export interface FormBody {
  readonly contentType: string
  readonly text: string
}

export interface FormFile {
  readonly name: string
  readonly contentType: string
  readonly text: string
}

const BOUNDARY = 'boundary-of-generated-forms'

/** File names and contents that document readers must handle. */
export const formFile: fc.Arbitrary<FormFile> = fc.record({
  name: fc.constantFrom('notes.txt', 'page.html', 'table.csv', 'data.json', 'mail.eml', 'Ünï 🚲.md', 'a', 'wrong.pdf'),
  contentType: fc.constantFrom('text/plain', 'text/html; charset=utf-8', 'application/octet-stream', 'application/pdf'),
  text: fc.oneof(
    fc.string({ minLength: 1, maxLength: 200 }),
    fc.constantFrom(
      '# Doors\n\nThey open at nine.',
      '<h1>Doors</h1><p>They open at nine.</p><p>',
      'city,opens\r\nBerlin,9\r\n"Bremen,10',
      '{"doors":{"open":[9,10]}}',
      'From: a@example.com\r\nSubject: Doors\r\n\r\nThey open at nine.',
      '%PDF-1.7 nothing more',
      'PK\u0003\u0004',
      ' ',
    ),
  ),
})

/** Converts a JSON body to form fields, each as JSON or text, with a file instead of its sources. */
export function formBody(fields: Readonly<Record<string, unknown>>, file: FormFile): FormBody {
  const sent = Object.entries(fields).filter(([name, value]) => name !== 'sources' && value !== null)
  const parts = sent.map(([name, value]) => {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
    return partOf(`name="${encoded(name)}"`, '', text)
  })
  const about = `name="file"; filename="${encoded(file.name)}"`
  parts.push(partOf(about, `Content-Type: ${file.contentType}\r\n`, file.text))
  return {
    contentType: `multipart/form-data; boundary=${BOUNDARY}`,
    text: `${parts.join('')}--${BOUNDARY}--\r\n`,
  }
}

function partOf(about: string, more: string, content: string): string {
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; ${about}\r\n${more}\r\n${content}\r\n`
}

/** Encodes a name as browsers do. */
function encoded(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
