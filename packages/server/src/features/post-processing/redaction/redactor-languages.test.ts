import { PII_CATEGORIES } from '@parley/contract/after-conversation'
import { describe, expect, test } from 'vitest'
import { createRedactor } from './redactor.ts'

const fullRedactor = createRedactor(PII_CATEGORIES, [])

/** Lines as people write them and transcribers return them, with personal data in braces. */
const LINES: Readonly<Record<string, readonly string[]>> = {
  English: [
    'hi my name is {person_name:john smith} and my social security number is {ssn:one two three four five six seven eight nine}',
    "yeah it's {credit_card:four one one one, one one one one, one one one one, one one one one}",
    'my card number is {credit_card:4242 4242 4242 4242} expiring 12/27 and the cvv is {pin:three one four}',
    'you can reach me at {phone_number:five five five oh one oh four four seven seven}',
    'the number is {phone_number:plus four four seven seven double zero nine double zero one two three}',
    'I was born on {date_of_birth:may fourth nineteen ninety}',
    'date of birth {date_of_birth:twelfth of march nineteen eighty five}',
    'the pin is {pin:double four seven one}, right?',
    'National insurance number is {ssn:AB 12 34 56 C}.',
    'routing number {bank_account:021000021} and account number {customer_account_number:123456789012}',
    "it's sort code {bank_account:20-00-00 account number 55779911}",
    "My driver's license number is {driver_license:D123 4567 8901}",
    'I live at {address:221b Baker Street, London NW1 6XE}',
    'Passport number is {passport:C zero one X zero zero T four seven}',
    'The verification code I got is {pin:482 913}',
    'email is {email:ana dot petrov at example dot com}',
    'This is {person_name:Sarah Connor} calling about my booking',
    'my account number is {customer_account_number:A B 4 7 1 1 9}',
    'my medical record number is {medical_id:00123456}',
    'My last name is spelled {person_name:P-E-T-R-O-V}, and my password is {password:Tr0ub4dor&3}',
  ],
  German: [
    'Guten Tag, mein Name ist {person_name:Ana Petrov} und ich möchte bestellen',
    'Hier spricht {person_name:Weber}, meine Nummer: {phone_number:null eins sieben eins zwei drei vier fünf sechs sieben acht}',
    'meine Kundennummer lautet {customer_account_number:KD-20931}',
    'Die PIN ist {pin:vier sieben eins eins}',
    'meine IBAN ist {bank_account:DE89 3704 0044 0532 0130 00}',
    'Meine Steuer-ID ist {ssn:86 095 742 719}',
    'Rentenversicherungsnummer {ssn:15 070649 C 103}',
    'Versichertennummer {medical_id:A123456780}',
    'Personalausweisnummer ist {passport:L01X00T47}',
    'Mein Reisepass: {passport:C01X00T47}',
    'Führerschein {driver_license:B072RRE2I55}',
    'geboren am {date_of_birth:vierten Mai neunzehnhundertneunzig}',
    'mein Geburtsdatum: {date_of_birth:04.05.1990}',
    'Ich wohne in der {address:Lindenstraße 12 in 10969 Berlin}',
    'meine E-Mail ist {email:ana punkt petrov ät example punkt de}',
    'mein Passwort lautet {password:Sommer2024}!',
    'die Kartennummer ist {credit_card:vier eins eins eins eins eins eins eins eins eins eins eins eins eins eins eins}',
    'Sie erreichen mich unter {phone_number:0171 1234567}',
    'Kontonummer {bank_account:532013000}, BLZ {bank_account:37040044}',
    'Der Sicherheitscode ist {pin:314}, mein Kennwort ist falsch.',
  ],
  'French and Spanish': [
    "Bonjour, je m'appelle {person_name:Marie Dupont} et je voudrais un rendez-vous",
    'je suis né le {date_of_birth:4 mai 1990}',
    'mon numéro de sécurité sociale est le {ssn:2 55 08 14 168 025 38}',
    "mon numéro de téléphone c'est le {phone_number:06 12 34 56 78}",
    'mon mot de passe est {password:soleil42}',
    'mon adresse est {address:12 rue de la Paix, 75002 Paris}',
    'numéro client : {customer_account_number:4482913}',
    'mon code secret est le {pin:4711}, mon passeport le {passport:12AB34567}',
    'numéro de carte {credit_card:4970 1012 3456 7890}, permis de conduire {driver_license:13AA00002}',
    'le {phone_number:zéro six un deux trois quatre cinq six sept huit}',
    'Hola, me llamo {person_name:Carmen García} y quiero cambiar mi cita',
    'mi DNI es {ssn:12345678Z}',
    'nací el {date_of_birth:4 de mayo de 1990}',
    'mi número de teléfono es {phone_number:612 345 678}',
    'mi contraseña es {password:gato123}',
    'vivo en {address:Calle Mayor 12, 28013 Madrid}',
    'mi tarjeta es {credit_card:4111 1111 1111 1111}, número de cliente {customer_account_number:99812}',
    'mi pasaporte es {passport:AAB123456}, carnet de conducir {driver_license:12345678Z}',
    'el código de verificación es {pin:482913}, tarjeta sanitaria {medical_id:BBBB123456}',
    'mi correo es {email:ana punto petrov arroba example punto com}',
  ],
  'Italian and Dutch': [
    'Mi chiamo {person_name:Luca Rossi} e vorrei prenotare',
    'sono nato il {date_of_birth:4 maggio 1990}',
    'codice fiscale {ssn:RSSMRA85T10A562S}',
    'il mio numero di telefono è {phone_number:333 1234567}',
    'abito in {address:via Roma 5, 00184 Roma}',
    'la mia password è {password:luna99}',
    'patente {driver_license:U1A23B456C}, passaporto {passport:YA1234567}',
    'codice cliente {customer_account_number:778812}',
    'tessera sanitaria {medical_id:80380000100012345678}',
    'il codice di sicurezza è {pin:314}',
    'numero di conto {bank_account:000012345678}',
    'Ik heet {person_name:Jan de Vries} en ik wil graag een afspraak',
    'mijn geboortedatum is {date_of_birth:4 mei 1990}',
    'mijn BSN is {ssn:111222333}',
    'mijn telefoonnummer is {phone_number:06-12345678}, of {phone_number:nul zes een twee drie vier vijf zes zeven acht}',
    'ik woon op de {address:Kerkstraat 5, 1017 GA Amsterdam}',
    'mijn wachtwoord is {password:fiets123}, pincode {pin:4711}',
    'klantnummer {customer_account_number:20931}, patiëntnummer {medical_id:445566}',
    'rijbewijs {driver_license:5123456789}, paspoortnummer {passport:NX1234567}',
    'rekeningnummer {bank_account:NL91 ABNA 0417 1643 00}',
  ],
}

describe.each(Object.entries(LINES))('%s', (_language, lines) => {
  test.each(lines)('%s', (line) => {
    const spoken = line.replace(/\{[a-z_]+:([^}]*)\}/g, '$1')
    const expectedText = line.replace(/\{([a-z_]+):[^}]*\}/g, '[$1]')
    expect(fullRedactor.redactText(spoken)).toBe(expectedText)
    expect(fullRedactor.redactText(expectedText)).toBe(expectedText)
  })
})

test.each([
  ['Wie ist Ihr Name?', 'Petrov', '[person_name]'],
  ['Wann sind Sie geboren?', 'am vierten Mai neunzehnhundertneunzig', 'am [date_of_birth]'],
  ['Et votre mot de passe ?', 'soleil42', '[password]'],
  ['¿Cuál es su número de teléfono?', '612 34 56 78', '[phone_number]'],
  ['Qual è il suo indirizzo?', 'Via Roma 5', '[address]'],
  ['Wat is uw klantnummer?', '20931', '[customer_account_number]'],
  ['And the last four of your social security number?', 'one one two zero', '[ssn]'],
])('an answer to "%s": %s', (question, spoken, stored) => {
  expect(fullRedactor.redactText(spoken, { question })).toBe(stored)
})
