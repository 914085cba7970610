import type { PiiCategory } from '@parley/contract/after-conversation'
import type { PersonalRange } from './personal-ranges.ts'

/** A form in which a number is written, and what tells that it is one. */
export interface NumberForm {
  /** Global, of bounded length: what is tried at each place costs the same however long the text is. */
  readonly pattern: RegExp
  /** Judges the number without separators, its letters as capitals. */
  readonly isValid: (compact: string) => boolean
}

export interface NumberRules {
  /** Whether digits without any sign between them count: not where numbers are mostly ids. */
  readonly bareDigits: boolean
}

/** Nothing of a longer number or word, nor the rest of a phone number. */
const BEFORE = '(?<![\\p{L}\\p{N}_]|\\d[-./]|\\+\\d{1,3}[ -])'
const AFTER = '(?![\\p{L}\\p{N}_]|[-./]\\d)'

/** A pattern that stands alone in a text. */
export function standalone(source: string): RegExp {
  return new RegExp(`${BEFORE}(?:${source})${AFTER}`, 'giu')
}

/** All numbers of these forms that pass their checks. */
export function findNumbers(
  text: string,
  forms: readonly NumberForm[],
  { category, bareDigits }: NumberRules & { readonly category: PiiCategory },
): PersonalRange[] {
  const found: PersonalRange[] = []
  for (const { pattern, isValid } of forms) {
    pattern.lastIndex = 0
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const { index, 0: written } = match
      const isBare = /^\d+$/.test(written)
      const end = index + written.length
      const counts = isBare
        ? bareDigits && !isNamedThing(text, index)
        : !(written.includes(' ') && isInsideGroups(text, index, end))
      if (counts && isValid(written.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase())) {
        found.push({ start: index, end, category })
      } else pattern.lastIndex = index + 1
    }
  }
  return found
}

const GROUP_BEFORE = /(?<![\p{L}\d./:-])\d{2,6} $/u
const GROUP_AFTER = /^ \d{2,6}(?![\p{L}\d]|[./:-]\d)/u

/** Whether groups of digits go on at both or one of the ends: what stands between them is a part of a longer number. */
function isInsideGroups(text: string, start: number, end: number): boolean {
  return GROUP_BEFORE.test(text.slice(Math.max(0, start - 8), start)) || GROUP_AFTER.test(text.slice(end, end + 9))
}

const THING_WORDS =
  '(?:order|booking|reservation|reference|ref|invoice|receipt|ticket|tracking|case|confirmation|article|item|product|part|serial|model|sku|ean|gtin|isbn|barcode|transaction|shipment|parcel|version|release|build|firmware|' +
  'bestell(?:ung|ungs)?|auftrags?|buchungs?|reservierungs?|rechnungs?|vorgangs?|artikel|sendungs?|serien|paket|beleg|produkt|referenz|' +
  'commande|réservation|facture|référence|dossier|colis|suivi|produit|' +
  'pedido|reserva|factura|referencia|artículo|seguimiento|envío|producto|' +
  'ordine|prenotazione|fattura|riferimento|articolo|spedizione|prodotto|' +
  'bestelling|boekings?|reserverings?|factuur|referentie|zending|zendings|pakket)'
const NAMED_THING = new RegExp(
  `(?<!\\p{L})${THING_WORDS}[- ]?(?:number|nummer|num(?:éro|ero)|número|nr|no|n[º°]|id|code|nos?)?\\.?(?:\\s(?:is|was|ist|lautet|est|es|è|van|de))?\\s?[:#]?\\s?#?$`,
  'iu',
)

/** Whether the words right before a number say that it is that of a thing: of an order, an invoice, an article. */
export function isNamedThing(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 48), start)
  return NAMED_THING.test(before)
}
