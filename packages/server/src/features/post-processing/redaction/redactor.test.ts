import { PII_CATEGORIES, type PiiCategory } from '@parley/contract/after-conversation'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { measureFastestRun } from '../../../../../../testing/expressions/slowest-run.ts'
import { createRedactor, type TextContext } from './redactor.ts'

const fullRedactor = createRedactor(PII_CATEGORIES, [])
const createCategoryRedactor = (category: PiiCategory) => createRedactor([category], [])

describe('values recognizable by format', () => {
  test.each([
    ['Write to ana.petrov+shop@mail.example.co.uk, please.', 'Write to [email], please.'],
    ["(o'neil@example.com)", '([email])'],
    ['It is ana dot petrov at example dot com', 'It is [email]'],
    ['Call +49 30 1234567 or (555) 010-4477.', 'Call [phone_number] or [phone_number].'],
    ['555-010-4477, 5550104478', '[phone_number], [phone_number]'],
    ['5 5 5 0 1 0 4 4 7 7', '[phone_number]'],
    ['My mobile: 0171/1234567.', 'My mobile: [phone_number].'],
    ['Card 4111 1111 1111 1111, thanks', 'Card [credit_card], thanks'],
    ['378282246310005', '[credit_card]'],
    ['DE89 3704 0044 0532 0130 00 is mine', '[bank_account] is mine'],
    ['SSN 078-05-1120', 'SSN [ssn]'],
    ['My new card: 3782-822463-10005', 'My new card: [credit_card]'],
    ['221b Baker Street, London NW1 6XE', '[address]'],
    ['Am Alten Markt 5, 50667 Köln', '[address]'],
    ['Kerkstraat 5, 1017 GA Amsterdam', '[address]'],
    ['Calle Mayor 12, 28013 Madrid', '[address]'],
    ['via Roma 5, 00184 Roma', '[address]'],
    ['Ship to 12b Old Mill Road, Apt 3, Springfield, OR 97477.', 'Ship to [address].'],
    ['Ich wohne Lindenstraße 12, 10969 Berlin.', 'Ich wohne [address].'],
  ])('%s', (text, expected) => {
    expect(fullRedactor.redactText(text)).toBe(expected)
  })

  test.each([
    'We are open from 9:00 to 18:30, the full service is $119 and takes 3 days.',
    'Your order 1234567 of 2026-01-31 ships on 02/03/2026 at 14:30.',
    'The server 192.168.100.200 counted 1.234.567.890 requests in 2024-2025.',
    'Numbers: 1 2 3 4 5 6 7 8 9 10 and 2026-01-31 14:30:00.',
    'Meet me at noon. I am German and this is Great.',
    'It costs 12,500.00 EUR; see section 4.1.2.',
    'Your order number 1234567890 and invoice 2024-000123 come to 1 250 000 000 EUR.',
    'Article 4006381333931 (EAN 4006381333931), version 10.0.19045.3803.',
    'Bestellnummer 4567890123, Rechnung Nr. 2024-000123 vom 12.05.2026, zwischen 10 und 12 Uhr',
    'Numéro de commande 1234567890, pedido 1234567890, ordine 1234567890, bestelling 1234567890',
    'Voucher 1234 5678 1234 5678 was used.',
    'Eight nine ten eleven twelve thirteen, and one of the two rooms for three nights.',
    'Die Lieferung dauert zwei bis drei Tage. Ich bin der Meinung, dass es passt.',
    "I'm at work until 5 pm, my appointment is on 4 May 2026 at 10:30.",
    'ISBN 978-3-16-148410-0, tracking number 1Z999AA10123456784, flight LH 1234 at gate B12',
    'From 14:30 2026-01-31 2026-01-31 on, in 2021 2022 2023 2024 2025 2026.',
  ])('keeps unchanged: %s', (text) => {
    expect(fullRedactor.redactText(text)).toBe(text)
  })
})

describe('values recognizable by context', () => {
  test.each<[string, TextContext, string]>([
    ['My password is hunter2.', {}, 'My password is [password].'],
    ['My password is not working.', {}, 'My password is not working.'],
    ['The PIN is 4711, ok?', {}, 'The PIN is [pin], ok?'],
    ['My passport number is C01X00T47', {}, 'My passport number is [passport]'],
    ["driver's license D1234567", {}, "driver's license [driver_license]"],
    ['MRN 00123456', {}, 'MRN [medical_id]'],
    ['customer number: KD-20931', {}, 'customer number: [customer_account_number]'],
    ['sort code 12-34-56', {}, 'sort code [bank_account]'],
    ['I was born on 4 May 1990.', {}, 'I was born on [date_of_birth].'],
    ['My address is 5 rue X, 75002 Paris.', {}, 'My address is [address].'],
    ['my name is ana petrov and I need help', {}, 'my name is [person_name] and I need help'],
    ["Hi, I'm Ana Petrov.", {}, "Hi, I'm [person_name]."],
    ['Please tell Dr. Weber.', {}, 'Please tell Dr. [person_name].'],
    ['Ana', { question: 'What is your name?' }, '[person_name]'],
    ['4 May 1990', { question: 'May I have your date of birth?' }, '[date_of_birth]'],
    ['4711', { question: 'What is the PIN?' }, '[pin]'],
    ['s3cret', { question: 'And the password?' }, '[password]'],
    ['12 Main, flat 3', { question: 'What is your address?' }, '[address]'],
    ['4711', { question: 'How many do you need?' }, '4711'],
    ['This is Robin Hood from the shop.', { isAgent: true }, 'This is Robin Hood from the shop.'],
  ])('%s', (text, source, expected) => {
    expect(fullRedactor.redactText(text, source)).toBe(expected)
  })
})

describe('data', () => {
  test('field names identify values, and data without personal values stays as written', () => {
    const plain = '{ "items": [ {"name": "Basic service", "price": 49} ], "at": 1751328000000 }'
    expect(fullRedactor.redactJson(plain)).toBe(plain)
    const person = '{"customer":{"name":"Ana","email":"a@b.example","phone":5550104477},"order_id":"5550104477"}'
    expect(JSON.parse(fullRedactor.redactJson(person))).toEqual({
      customer: { name: '[person_name]', email: '[email]', phone: '[phone_number]' },
      order_id: '5550104477',
    })
  })

  test('variables lose values identified by name or format', () => {
    expect(
      fullRedactor.redactVariables({
        customer_name: 'Ana',
        note: 'mail a@b.example',
        plan: 'gold',
        file_name: 'x.pdf',
      }),
    ).toEqual({
      customer_name: '[person_name]',
      note: 'mail [email]',
      plan: 'gold',
      file_name: 'x.pdf',
    })
  })

  test('known personal values are removed everywhere', () => {
    const redactor = createRedactor(PII_CATEGORIES, [{ category: 'person_name', value: 'ana Petrov' }])
    expect(redactor.redactText('Thank you, Petrov! Ana Petrov is done; Petrovna is not.', { isAgent: true })).toBe(
      'Thank you, [person_name]! [person_name] is done; Petrovna is not.',
    )
  })

  test('only configured categories', () => {
    const text = 'ana@example.com, +49 30 1234567, 4111 1111 1111 1111'
    expect(createCategoryRedactor('email').redactText(text)).toBe('[email], +49 30 1234567, 4111 1111 1111 1111')
    expect(createCategoryRedactor('credit_card').redactText(text)).toBe(
      'ana@example.com, +49 30 1234567, [credit_card]',
    )
  })
})

const words = fc
  .array(
    fc.constantFrom(
      'please',
      'delivery',
      'Tuesday',
      'the',
      'brakes',
      '$49',
      '3',
      '2026-01-31',
      '14:30',
      'über',
      '你好',
      '😀',
    ),
    { minLength: 0, maxLength: 12 },
  )
  .map((parts) => parts.join(' '))

const digits = (length: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length }).map((list) => list.join(''))

/** A card number of a brand with a valid check digit. */
const card = fc
  .tuple(fc.constantFrom<[string, number]>(['4', 16], ['51', 16], ['2500', 16], ['6011', 16], ['37', 15]), digits(15))
  .map(([[start, length], rest]) => {
    const body = (start + rest).slice(0, length - 1)
    const last = [...Array(10).keys()].find((digit) => hasValidLuhn(body + digit)) ?? 0
    return body + last
  })

function hasValidLuhn(text: string): boolean {
  const sum = [...text].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

const cardText = fc.tuple(card, fc.constantFrom('', ' ', '-')).map(([number, separator]) => {
  const groups = number.length === 15 ? number.match(/^.{4}|.{6}(?=.{5}$)|.{5}$/g) : number.match(/.{4}/g)
  return (groups ?? []).join(separator)
})

const phoneText = fc.tuple(digits(3), digits(3), digits(4), fc.nat({ max: 5 })).map(([area, prefix, line, form]) => {
  const forms = [
    `+1 ${area} ${prefix} ${line}`,
    `+49${area}${prefix}${line}`,
    `(${area}) ${prefix}-${line}`,
    `${area}-${prefix}-${line}`,
    `${area}.${prefix}.${line}`,
    `${area}${prefix}${line}`,
  ]
  return forms[form] ?? ''
})

/** Incomplete prefixes of everything the redactor searches. */
const SLOW_PARTS = [
  ...[
    '1',
    '1 ',
    'a',
    'A',
    ' ',
    '@',
    'a@',
    'a.',
    '-',
    '+',
    '[',
    'é',
    '😀',
    '(1',
    'A1',
    'A<',
    'P<',
    'Ab-',
    '1 Aa ',
    '12.12.',
  ],
  ...[
    '123 ',
    '4111 ',
    '123-45-',
    '1112.22.',
    'DE89 ',
    '4111111111111111 ',
    '1234567890 ',
    '$1 000 ',
    'aa at ',
    'a dot ',
  ],
  ...['my name is ', 'mr A', 'spelled ', 'passport ', 'passport-', 'pin ', 'pin:', 'password:', 'address is ', 'ssn a'],
  ...['account number ', 'call me ', 'born 1', 'geboren ', 'jan ', 'order ', 'Via A ', 'Calle de ', 'a b c 1 '],
  ...['one ', 'one-', 'one 1 ', 'one uh ', 'plus one ', 'double ', 'zweiundzwanzig ', '12 Aa St, '],
]

describe('for any text', () => {
  test('no email address, phone number or card survives', () => {
    fc.assert(
      fc.property(words, fc.oneof(fc.emailAddress(), phoneText, cardText), words, (before, secret, after) => {
        const text = `${before} ${secret} ${after}`
        const redacted = fullRedactor.redactText(text)
        expect(redacted).not.toContain(secret)
        const secretDigits = secret.replace(/\D/g, '')
        if (secretDigits.length >= 7) expect(redacted.replace(/\D/g, '')).not.toContain(secretDigits)
      }),
      { numRuns: 2_000 },
    )
  })

  test('text without personal data stays unchanged, and redaction is idempotent', () => {
    fc.assert(
      fc.property(words, (text) => {
        expect(fullRedactor.redactText(text)).toBe(text)
      }),
    )
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), words, (noise, text) => {
        const once = fullRedactor.redactText(`${noise} my name is Ana, PIN 4711 ${text}`)
        expect(fullRedactor.redactText(once)).toBe(once)
      }),
    )
  })

  test('a gap of any length between introducing words and value hides nothing', () => {
    const gap = ' '.repeat(5_000)
    expect(fullRedactor.redactText(`My account number is${gap}:${gap}AB-12345.`)).not.toContain('12345')
    expect(fullRedactor.redactText(`My password is${gap}:${gap}hunter-two.`)).not.toContain('hunter')
    expect(fullRedactor.redactText(`My address is${gap}12 Old Mill Lane.`)).not.toContain('Mill')
  })

  test('adversarial long texts stay fast', () => {
    const length = 40_000
    const allowedMs = 500
    for (const part of SLOW_PARTS) {
      const text = part.repeat(length / part.length)
      const ms = measureFastestRun(() => fullRedactor.redactText(text), allowedMs)
      expect(ms, part).toBeLessThan(allowedMs)
    }
  })
})
