import type { Passage } from '@parley/contract/knowledge-passage'
import { passageOf } from './passages-test-kit.ts'

/** Documents of invented businesses, for questions that no rule and no weight was fitted to. */

/** One passage for each section, under the title of the document and its own heading. */
function sections(sourceName: string, title: string, texts: Readonly<Record<string, string>>): readonly Passage[] {
  return Object.entries(texts).map(([heading, text]) => passageOf(sourceName, text, { headings: [title, heading] }))
}

export const kayaks = sections('Kayak rental guide.pdf', 'Harbour Kayak Rental', {
  'Single kayaks':
    'A single kayak is rented for € 14 an hour or € 45 a day. The paddle and the life vest are part of it. A dry bag costs € 3. Single kayaks carry up to 110 kg.',
  'Double kayaks':
    'A double kayak is rented for € 22 an hour or € 70 a day. Children over five may sit in front. Double kayaks carry up to 190 kg.',
  'Island tour':
    'The island tour leaves every Saturday at 10:00 from the yellow pier and takes five hours with a picnic. It costs € 65 per person. No experience is needed. At most twelve people take part.',
  'Sunset tour':
    'The sunset tour runs on Wednesdays and Fridays from June to August. We meet two hours before sunset. It costs € 39 per person, a hot drink included. You should have sat in a kayak before.',
  'Weather and cancellation':
    'From wind force five on nobody goes out; you get a voucher or your money. Bookings can be cancelled free of charge until 48 hours before. After that, half of the price is due.',
  'How to find us':
    'Our boathouse stands behind the fish market at 4 Ropewalk. Bus 12 stops in front of it. There are no parking spaces at the boathouse; the car park of the market costs € 2 an hour.',
})

export const router = sections('larix-r2-r4-manual.html', 'Larix routers: manual', {
  'Lights of the R2':
    'On the R2 the lamp is green when the connection is up. It blinks orange while the router looks for the network and turns red when the cable of the provider is not plugged in.',
  'Lights of the R4':
    'On the R4 the ring is white when the connection is up. It pulses blue during an update. Purple means that the device is too hot: put it somewhere with more air.',
  'Resetting the R2':
    'Push a paper clip into the hole beside the power socket for ten seconds. All settings are lost. The wireless key is then again the one on the label underneath.',
  'Resetting the R4':
    'Open the Larix app, choose Device and then Factory settings. Without the app, turn the R4 off and on three times in a row.',
  'Technical data':
    'Model: R2; Ports: 2; Wireless: Wi-Fi 5; Speed: 1,200 Mbit/s; Power: 9 W; Weight: 310 g\nModel: R4; Ports: 4; Wireless: Wi-Fi 6; Speed: 4,800 Mbit/s; Power: 17 W; Weight: 540 g',
  'Guest network':
    'A guest network is switched on in the app under Wireless. Guests cannot see your own devices. It can switch itself off after 3, 8 or 24 hours.',
  'Warranty and returns':
    'Larix gives three years of warranty on all routers. Within 30 days you may send a router back and get the full price. Keep the receipt. The support line is +44 20 7946 0321, on working days from 8 to 18.',
})

export const vet = sections('Praxisinfo.docx', 'Tierarztpraxis Hollergasse', {
  Sprechzeiten:
    'Die Praxis ist Montag bis Freitag von 8:00 bis 12:00 Uhr und von 15:00 bis 18:30 Uhr geöffnet. Mittwochnachmittag ist geschlossen. Am Samstag behandeln wir nur nach Vereinbarung.',
  Notfälle:
    'Außerhalb der Sprechzeiten erreichen Sie den Notdienst unter 0664 5550199. Für Einsätze in der Nacht berechnen wir einen Zuschlag von 60 Euro.',
  Impfungen:
    'Welpen werden mit acht Wochen zum ersten Mal geimpft. Die Impfung eines Hundes kostet 58 Euro, die einer Katze 52 Euro. Der Impfpass ist im Preis enthalten. Tollwut wird alle drei Jahre aufgefrischt.',
  Kastration:
    'Die Kastration eines Katers kostet 95 Euro, die einer Katze 160 Euro. Das Tier muss zwölf Stunden vorher nüchtern sein. Es kann am selben Abend nach Hause.',
  Bezahlung:
    'Sie bezahlen bar oder mit Bankkarte direkt nach der Behandlung. Raten sind ab 300 Euro möglich. Kreditkarten nehmen wir nicht an.',
  Anfahrt:
    'Sie finden uns in der Hollergasse 7, Eingang im Hof. Vor dem Haus gibt es drei Parkplätze. Die Straßenbahn 6 hält am Kirchplatz, fünf Minuten zu Fuß.',
})

export const theatre = sections('Guide du spectateur', 'Théâtre du Pont', {
  Tarifs:
    'Une place coûte 28 € au parterre et 19 € au balcon. Les moins de 26 ans paient 12 € partout. Un abonnement pour cinq spectacles revient à 95 €.',
  Réservation:
    "Les billets s'achètent en ligne ou au guichet, ouvert du mardi au samedi de 13h à 19h. Les billets ne sont ni repris ni remboursés, mais peuvent être échangés jusqu'à la veille contre 3 €.",
  'Le soir du spectacle':
    "Les portes ouvrent 45 minutes avant le début. Les retardataires n'entrent qu'à l'entracte. Le vestiaire est gratuit. Le bar sert des boissons et des tartes salées.",
  Accessibilité:
    "La salle compte six places pour fauteuils roulants, à réserver par téléphone au 04 72 00 11 22. Un ascenseur mène au balcon. Des casques amplificateurs sont prêtés contre une pièce d'identité.",
  Accès:
    "Le théâtre se trouve au 3 quai des Meuniers. Le tram T2 s'arrête au Pont Vieux. Le parking des Halles, à 300 mètres, ferme à 1h du matin.",
})

export const swimming = sections('Northgate brochure 2026.pdf', 'Northgate Swimming School', {
  Tadpoles:
    'Tadpoles is for children from four to six who are afraid of water or new to it. Six children swim with one teacher. A term of ten lessons costs £ 120. Lessons are on Tuesdays and Thursdays at 15:30.',
  Dolphins:
    'Dolphins is for children from seven on who can swim 25 metres. Ten children swim with one teacher. A term of ten lessons costs £ 105. Lessons are on Mondays at 16:45.',
  'Adult beginners':
    'Adults who never learned to swim meet on Wednesday evenings at 20:00. Groups have at most five people. A term of eight lessons costs £ 148.',
  'Missed lessons':
    'A lesson that you miss can be made up twice a term if you write to us by noon of the same day. There is no money back for missed lessons. After three absences without notice the place goes to the waiting list.',
  'What to bring':
    'Bring a towel, a cap and goggles. Caps are sold at the desk for £ 4. Long hair must be tied. Swimming shorts below the knee are not allowed. Armbands are lent by us.',
  'The pool':
    'The pool in Northgate Road is 20 metres long, 1.30 m deep and 31 degrees warm. Parents watch from the gallery. Pushchairs stay in the hall. A step-free entrance is on the left side.',
})

export const coworking = sections('studio-nine-handbook.md', 'Studio Nine: member handbook', {
  'Mill Lane: access and hours':
    'Mill Lane is staffed on weekdays from 8:30 to 18:00. Members with a fixed desk come in around the clock with their fob; flex members until 22:00. A lost fob costs £ 15.',
  'Dockside: access and hours':
    'Dockside is staffed on weekdays from 9:00 to 17:00. All members come in from 6:00 to 23:00 with the app. It is closed on Sundays.',
  'Mill Lane: meeting rooms':
    'Mill Lane has two rooms: Oak for eight people at £ 24 an hour and Ash for four at £ 14 an hour. Each room has a screen. They are booked in the app up to 60 days ahead.',
  'Dockside: meeting rooms':
    'Dockside has one room, Cabin, for twelve people at £ 30 an hour, with a camera for video calls. Cancelling is free until the evening before.',
  Memberships:
    'Plan: Day pass; Price: £ 19 a day; Meeting room hours: none; Guests: none\nPlan: Flex; Price: £ 140 a month; Meeting room hours: 2; Guests: 1\nPlan: Fixed desk; Price: £ 260 a month; Meeting room hours: 6; Guests: 2',
  'Ending a membership':
    'Flex ends with a month of notice, Fixed desk with two months. Write to hello@studionine.example. The deposit is paid back within 14 days.',
  'Post and printing':
    'Letters are put into your box and parcels kept for five days. Each member prints 100 pages a month for nothing; after that a page costs 8 pence, in colour 20 pence.',
  'House rules':
    'Phone calls are made in the booths. Dogs are welcome at Mill Lane if the neighbours agree, and not at Dockside. Hot food is eaten in the kitchen only.',
})

export const freight = sections('services.xlsx', 'Pallet services 2026', {
  Services:
    'Service: Economy; Transit: 4 to 6 days; Price per pallet: € 89; Latest order: 12:00\nService: Standard; Transit: 2 to 3 days; Price per pallet: € 124; Latest order: 14:00\nService: Express; Transit: next day; Price per pallet: € 210; Latest order: 11:00',
  'Sizes and weight':
    'Euro pallets may weigh up to 700 kg and be 1.80 m high. Half pallets may weigh up to 350 kg. Heavier goods need an offer by our sales team.',
  'Pick-up':
    'The driver calls 30 minutes before. Someone has to be on site between 8:00 and 16:00. Waiting is free for 15 minutes, then € 12 for each quarter of an hour. A tail lift costs € 25 extra.',
  'What we do not carry':
    'We do not carry: animals, plants, weapons, cash and used car batteries. Paint is carried with a safety data sheet.',
  Damage:
    'Visible damage has to be noted on the delivery slip. Hidden damage is reported within seven days with photos to damage@pallets.example. We are liable for up to € 10 per kilogram.',
})

export const cooking = sections('Escuela La Olla', 'Escuela de cocina La Olla', {
  'Curso de arroces':
    'El curso de arroces se da los jueves de 18:00 a 21:00 y dura cuatro semanas. Cuesta 160 € con los ingredientes. El grupo tiene como máximo diez personas.',
  'Curso de repostería':
    'El curso de repostería se da los sábados de 10:00 a 14:00 y dura seis semanas. Cuesta 230 €. Hay que traer un delantal y un recipiente para llevarse las tartas.',
  'Talleres para niños':
    'Los talleres para niños de 7 a 12 años son el primer domingo del mes. Cuestan 25 € por niño. Un adulto puede quedarse gratis.',
  Inscripción:
    'La plaza se reserva con un pago de 40 €. Si avisas diez días antes, devolvemos todo; después damos un vale. Los vales de regalo son válidos un año.',
  'Dónde estamos':
    'Estamos en la calle Alfareros 22, cerca del mercado. La línea 3 del metro para en Puerta Nueva. La cocina está en el primer piso y no hay ascensor.',
})
