import { type AnswerableQuestion, questionsAbout } from './question.ts'

/** The half of the questions for measurement only. */
export const unseenQuestions: readonly AnswerableQuestion[] = [
  ...questionsAbout('hotels.md', [
    ['fee up to 7 days', 'Lagos', 'Until when may I call off my reservation in Lagos and owe nothing?'],
    ['buffet in Setúbal is served', 'Setubal', 'We have an early ferry, can we eat at half past six in Setubal?'],
    ['on one of 22 spaces', 'Sagres', 'Do I have to pay for leaving my vehicle at the Sagres hotel?'],
    ['wellness area costs € 12', 'Tavira', 'price of the spa at Tavira for one person?'],
    [
      'Bookings at Maré Setúbal',
      'Setúbal',
      'do you want money in advance?',
      'I would like to reserve in Setúbal for May.',
    ],
    [
      'pays € 22 for late',
      'Evora',
      'Our train from Evora goes at seven p.m., how much more do you want if we keep the room till then?',
    ],
  ]),
  ...questionsAbout('bikes.md', [
    ['brakes with 220 mm rotors', 'Swift Cargo XL', 'What kind of gearing is fitted to a Swift Cargo XL?'],
    ['weighs 8.4 kg', 'Wren Junior 20', 'How heavy is a Wren Junior 20?'],
    [
      'battery of the Lark 3 holds',
      'Lark 3',
      'Where do I put the accumulator of my Lark 3 while I do not use it from December on?',
    ],
    ['weekend a test bike costs', 'weekend', 'Could I borrow one over the weekend to find out whether I like it?'],
    ['first inspection of the Heron 5', 'Heron 5', 'When does my Heron 5 need its first check-up?'],
    ['The Lark 5 is a city bike', 'Lark 5', 'the brake pads of my lark 5 look thin, when must they be replaced'],
  ]),
  ...questionsAbout('bike-prices.csv', [
    ['V1119', 'Swift Cargo', 'I want a black Swift Cargo from the 2025 season, what is the price?'],
    ['V1210', 'Wren Junior 24', 'Do you have any Wren Junior 24 of 2025 in forest green?'],
  ]),
  ...questionsAbout('clinics.md', [
    ['practice in Kelby is open', 'Kelby', 'At what time do you close in Kelby?'],
    ['there is no lift', 'Denham', 'My mother sits in a wheelchair, can she reach the doctor in Denham?'],
    ['Blood is taken in Millbrook', 'Millbrook', 'Should my stomach be empty for lab work at Millbrook?'],
    ['ready after 36 hours', 'Kelby', 'when can I fetch them?', 'I need a repeat of my tablets, my practice is Kelby.'],
    ['In Wexham appointments are made', 'Wexham', 'How many weeks must I wait for a routine check in Wexham?'],
  ]),
  ...questionsAbout('examinations.md', [
    [
      'Antihistamines are stopped',
      'allergy',
      'I swallow hay fever tablets, when do I quit them ahead of the allergy check?',
    ],
    ['metformin pause it', 'CT', 'I am diabetic, is my sugar medicine a problem with the dye of a CT?'],
    ['short-acting inhaler for six', 'lung', 'Am I allowed a cigarette on the day of my lung check?'],
  ]),
  ...questionsAbout('tariffs-2026.md', [
    ['Fennel Senior 2026 costs', 'Senior', 'My granny wants to leave Senior, how many weeks ahead must she write?'],
    [
      'up to 5 further cards',
      'Fennel L',
      'I would like another card for my watch, I am on Fennel L. What is it per month?',
    ],
    ['needs a proof of age', 'Youth', 'I will be 28 next month, what happens to my Youth line?'],
    ['40 GB of it can be used', 'XL', 'how much of that can I use in Spain?', 'I am on Fennel XL since 2026.'],
    ['United States costs 15 cents', 'Fennel M', 'What is a minute to Boston on Fennel M?'],
  ]),
  ...questionsAbout('tariffs-2024.md', [
    ['Fennel S 2024 costs', 'Fennel S', 'What was the monthly price of Fennel S under the 2024 terms?'],
    ['Fennel XL 2024 costs', 'Fennel XL', 'my Fennel XL is from 2024, how do I get out of it and when'],
  ]),
  ...questionsAbout('bank-accounts.md', [
    ['8 withdrawals a month', 'Plus', 'How often can I get notes out of the wall with Plus until it costs something?'],
    ['Youth account cannot be overdrawn', 'Youth', 'Could my son go below zero with his Youth account?'],
    ['Harbour savings account', 'Harbour', 'On which day is the intrest of Harbour paid?'],
    [
      'debit card for each holder belongs',
      'Joint',
      'My wife lost her card, how soon will the new one of our Joint account be here?',
    ],
    [
      'Student account costs nothing',
      'Student',
      'I am 29 and enrolled, how much longer can I keep the Student account?',
    ],
  ]),
  ...questionsAbout('ledgerly-help.html', [
    ['Ledgerly Desktop backs your data', 'Desktop', 'Where on my computer are the safety copies of Ledgerly Desktop?'],
    ['LG-114', 'LG-114', 'what does LG-114 want from me'],
    ['basic plan of Ledgerly Web', 'Web', 'How many colleagues can work with the Web edition at no extra cost?'],
    ['Under Profile > Protection', 'Mobile', 'How do I turn on the authenticator thing in Ledgerly Mobile?'],
    ['PNG or SVG up to', 'Desktop', 'How large may the file of our company emblem be in Ledgerly Desktop?'],
  ]),
  ...questionsAbout('washing-machines.md', [
    ['Code of the WD750', 'WD750', 'WD750 stopped and displays E10 what now'],
    ['W500 is 85 cm high', 'W500', 'Does the W500 fit into a gap with a depth of 50 cm?'],
    ['W900 takes up to 10 kg', 'W900', 'What is the biggest load for a W900?'],
    ['WD750 reaches 69 decibels', 'WD750', 'Will the neighbours hear my WD750, how loud does it get?'],
    ['Run the W700 once a month', 'W700', 'there is a bad smell coming out of it, any advice?', 'I own a W700.'],
  ]),
  ...questionsAbout('insurance.md', [
    ['Home Basic insures', 'Home Basic', 'Are my flatmate’s things part of Home Basic?'],
    ['Travel Single insures', 'Travel Single', 'How many days may I be away at most with Travel Single?'],
    ['Home Comfort runs for a year', 'Home Comfort', 'I want to quit Home Comfort, how far ahead do I write?'],
    [
      'damage to Travel Annual within',
      'Travel Annual',
      'I broke my leg in Chile three weeks ago and hold Travel Annual, am I too late to tell you?',
    ],
    ['Home Basic does not pay for', 'Home Basic', 'Somebody stole my mountain bike, would Home Basic reimburse me?'],
  ]),
  ...questionsAbout('university.md', [
    ['station in Tromsø', 'MSc Marine', 'Will I spend time in Norway if I choose MSc Marine Biology?'],
    [
      'BSc Biology can be repeated',
      'BSc Biology',
      'I have the flu, until when does a BSc Biology student hand in the doctor’s note?',
    ],
    ['MSc Data Science costs', 'Data Science', 'My parents earn little, is there a scholarship for MSc Data Science?'],
    ['Applications for the LLB Law', 'LLB', 'Do I have to sit an entrance test for LLB?'],
    [
      'BSc Marine Biology costs',
      'BSc Marine',
      'and in how many instalments?',
      'What do you charge for BSc Marine Biology?',
    ],
  ]),
  ...questionsAbout('lindenau-buergerservice.md', [
    [
      'im Saal Buche',
      'Nord',
      'Ich bin in den Stadtteil Nord umgezogen, welche Papiere muss ich beim Anmelden vorlegen?',
    ],
    ['Möbel werden zweimal im Jahr', 'Sperrmüll', 'Wie werde ich mein altes Sofa los, nimmt der Sperrmüll das mit?'],
    ['Bürgerbüro Mitte in der Straße', 'Mitte', 'Kann ich samstags ins Büro Mitte kommen?'],
  ]),
  ...questionsAbout('kaffeemaschinen.md', [
    ['Mahlwerk der B10 hat', 'B10', 'wie stelle ich bei der B10 ein das der Kaffee feiner gemalen wird'],
    ['Für Milchschaum hat die B30', 'B30', 'Klappt Haferdrink mit der B30?'],
    ['Garantie der B20 läuft', 'B20', 'Unsere Firma hat 20 Mitarbeiter, haben wir auf die B20 Garantie?'],
  ]),
  ...questionsAbout('campings.md', [
    ['camping Les Cimes offre un bassin', 'Cimes', 'L’eau pour nager aux Cimes est-elle froide ?'],
    ['la veille au bar Le Phare', 'La Dune', 'Où trouver des baguettes à La Dune ?'],
    [
      'camping Les Pins, les emplacements',
      'Pins',
      'Jusqu’à quelle heure pouvons-nous rester aux Pins le dernier jour ?',
    ],
    ['camping Le Lac, le supplément', 'Le Lac', 'Et notre chien ?', 'Nous serons à Le Lac en août.'],
  ]),
  ...questionsAbout('gimnasios.md', [
    ['en Sierra hay que avisar', 'Sierra', '¿Cuántos días antes debo avisar si dejo Sierra?'],
    ['Aparcamiento en Centro', 'Centro', '¿Dónde dejo el coche cuando entreno en Centro?'],
    ['En Estación hay boxeo', 'Estación', '¿Qué día puedo boxear en Estación?'],
  ]),
  ...questionsAbout('museum.json', [
    ['a coin of 20 kroner', 'lockers', 'Do the lockers take banknotes, or what do I put in?'],
  ]),
]
