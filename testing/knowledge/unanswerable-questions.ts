import { type UnanswerableQuestion, unansweredIn } from './question.ts'

/** Questions in the words of the documents without an answer, for tuning. */
export const tuningUnanswerable: readonly UnanswerableQuestion[] = [
  ...unansweredIn('hotels.md', [
    'How much is a night in the garage of Maré Porto?',
    'Does Maré Faro have a tennis court?',
    'Is there a shuttle from the airport to Maré Lagos?',
    'Do you offer a babysitter at Maré Tavira?',
  ]),
  ...unansweredIn('bikes.md', [
    'How much does the Heron 9 weigh?',
    'Does the display of the Heron 7 have Bluetooth?',
    'Which saddle is mounted on the Lark 3, leather or plastic?',
  ]),
  ...unansweredIn('bike-prices.csv', ['What does the Lark 5 of 2027 cost?', 'Is there a Heron 7 in red?']),
  ...unansweredIn('clinics.md', [
    'When is the vaccination hour at Brookside Oakley?',
    'Is there a dentist in Kelby?',
    'Do you speak Polish at the practice in Ashford?',
  ]),
  ...unansweredIn('examinations.md', ['How do I prepare for a mammography?', 'How much does the sleep study cost?']),
  ...unansweredIn('tariffs-2026.md', [
    'What does Fennel XXL cost a month?',
    'Is a video streaming service part of Fennel M?',
  ]),
  ...unansweredIn('tariffs-2024.md', [
    'What did Fennel Youth cost in 2024?',
    'Which phones were sold with Fennel L in 2024?',
  ]),
  ...unansweredIn('bank-accounts.md', [
    'What is the interest on a mortgage at Tidewater Bank?',
    'Does the Student account come with travel insurance?',
  ]),
  ...unansweredIn('ledgerly-help.html', [
    'What does the message LG-999 mean?',
    'How do I print payslips in Ledgerly Web?',
  ]),
  ...unansweredIn('washing-machines.md', [
    'What is the meaning of E42 on the W700?',
    'How many watts does the W900 draw?',
    'Where is the filter of the W300?',
  ]),
  ...unansweredIn('insurance.md', [
    'What is the excess of Pet Plus?',
    'Does Home Comfort pay when my cat scratches the sofa?',
  ]),
  ...unansweredIn('university.md', [
    'What are the fees of the MSc Physics?',
    'Is there a dormitory near the Turing Building?',
  ]),
  ...unansweredIn('lindenau-buergerservice.md', [
    'Wann hat das Bürgerbüro Ost geöffnet?',
    'Wann werden die gelben Säcke abgeholt?',
  ]),
  ...unansweredIn('kaffeemaschinen.md', ['Wie entkalke ich die B40?']),
  ...unansweredIn('campings.md', ['Le camping Les Pins loue-t-il des vélos ?']),
  ...unansweredIn('gimnasios.md', ['¿Hay sauna en Fuerza Norte Playa?']),
]

/** The same, for measurement only. */
export const unseenUnanswerable: readonly UnanswerableQuestion[] = [
  ...unansweredIn('hotels.md', [
    'From what time on are rooms ready at Maré Coimbra?',
    'Can I rent a surfboard at Maré Sagres?',
    'Is there an iron in the rooms of Maré Setúbal?',
    'How much is a taxi from Maré Évora to the station?',
  ]),
  ...unansweredIn('bikes.md', [
    'What is the range of the Falcon 5?',
    'Who made the motor of the Swift Cargo?',
    'Can a child seat be mounted on the Lark 5?',
  ]),
  ...unansweredIn('bike-prices.csv', ['Do you stock the Swift Cargo in white?', 'What does a Wren Junior 16 cost?']),
  ...unansweredIn('clinics.md', [
    'On which days is blood taken at Brookside Harlow?',
    'Can I have my moles looked at by a skin doctor in Denham?',
    'How much is the influenza vaccination in Wexham?',
  ]),
  ...unansweredIn('examinations.md', [
    'How long does a bone density scan take?',
    'Who pays for the skin prick allergy test?',
  ]),
  ...unansweredIn('tariffs-2026.md', ['Does Fennel L include calls to Japan?', 'How much is Fennel Family?']),
  ...unansweredIn('tariffs-2024.md', [
    'How many further cards could I order with Fennel M in 2024?',
    'What did Fennel Senior cost in 2024?',
  ]),
  ...unansweredIn('bank-accounts.md', [
    'What is the interest on a fixed deposit of 36 months?',
    'How much does a safe deposit box cost at Tidewater Bank?',
  ]),
  ...unansweredIn('ledgerly-help.html', [
    'How do I reset the password of Ledgerly Tablet?',
    'Does Ledgerly Desktop run on a notebook with 2 GB of memory?',
  ]),
  ...unansweredIn('washing-machines.md', [
    'How much detergent does the W1200 need?',
    'Can the W500 be built in under a worktop without its lid?',
    'How many years is the guarantee of the WD750?',
  ]),
  ...unansweredIn('insurance.md', [
    'Within how many days do I report a claim to Car Plus?',
    'Does Travel Single pay for a scratched rental car?',
  ]),
  ...unansweredIn('university.md', [
    'When is the deadline of the BSc Chemistry?',
    'Who teaches statistics in the MSc Data Science?',
  ]),
  ...unansweredIn('lindenau-buergerservice.md', [
    'Was kostet der Anwohnerparkausweis in der Zone Hafen?',
    'Wo melde ich im Bürgerbüro Mitte meinen Hund zur Steuer an?',
  ]),
  ...unansweredIn('kaffeemaschinen.md', ['In welchen Farben gibt es die B20?']),
  ...unansweredIn('campings.md', ['Quel est le tarif du camping Les Oliviers ?']),
  ...unansweredIn('gimnasios.md', ['¿Cuánto cuesta un masaje en Fuerza Norte Centro?']),
]
