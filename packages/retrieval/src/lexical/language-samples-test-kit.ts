/** Text as businesses write it, with its language. */
export interface LanguageSample {
  readonly language: string
  readonly text: string
}

/** A paragraph in each language that is told by its function words. */
export const LANGUAGE_SAMPLES: readonly LanguageSample[] = [
  {
    language: 'en',
    text: 'Guests can check in from three in the afternoon. If you arrive later than ten, please call the reception so that somebody waits for you. Bicycles are kept in a locked room behind the house.',
  },
  {
    language: 'de',
    text: 'Die Werkstatt nimmt Fahrräder ohne Termin an, solange Platz ist. Wer einen Kostenvoranschlag möchte, bekommt ihn innerhalb von zwei Tagen per Telefon. Ersatzteile werden nur nach Rücksprache bestellt.',
  },
  {
    language: 'fr',
    text: 'Le petit déjeuner est servi dans la salle du rez-de-chaussée entre sept et dix heures. Les clients qui partent plus tôt peuvent demander un panier la veille. Les animaux ne sont pas admis dans les chambres.',
  },
  {
    language: 'es',
    text: 'La piscina cubierta abre todos los días menos los lunes. Los niños deben estar acompañados por un adulto y las toallas se piden en la recepción. El gimnasio está en la segunda planta.',
  },
  {
    language: 'it',
    text: 'Il pagamento si effettua alla consegna oppure con carta di credito. Chi vuole restituire un prodotto ha trenta giorni di tempo e deve conservare la confezione originale. Le spese di spedizione sono a carico del cliente.',
  },
  {
    language: 'pt',
    text: 'As consultas podem ser marcadas por telefone ou na página da clínica. Quem não puder comparecer deve avisar até ao dia anterior, para que a vaga seja dada a outra pessoa. Os resultados são enviados por correio.',
  },
  {
    language: 'nl',
    text: 'De winkel is op zondag gesloten, maar bestellingen worden dan wel verwerkt. Wie een pakket wil terugsturen, vindt het formulier in de doos. Het geld wordt binnen veertien dagen op uw rekening gestort.',
  },
  {
    language: 'sv',
    text: 'Biblioteket håller stängt på lördagar under sommaren. Den som vill låna en bok behöver ett kort, och det får man gratis vid disken. Böcker som lämnas för sent kostar fem kronor om dagen.',
  },
  {
    language: 'da',
    text: 'Butikken holder lukket om søndagen, men man kan stadig bestille på hjemmesiden. Hvis varen ikke passer, kan den byttes inden for fjorten dage. Vi sender en besked, når pakken er klar til afhentning.',
  },
  {
    language: 'no',
    text: 'Verkstedet tar imot sykler uten avtale så lenge det er plass. Hvis delene ikke er på lager, ringer vi før vi bestiller dem. Betaling skjer når sykkelen hentes, og kvitteringen sendes etterpå.',
  },
  {
    language: 'fi',
    text: 'Vastaanotto on auki arkisin kello kahdeksasta neljään. Jos et pääse paikalle, peruuta aika viimeistään edellisenä päivänä, että joku muu voi käyttää sen. Lasku lähetetään kotiin kahden viikon kuluessa.',
  },
  {
    language: 'pl',
    text: 'Pokój można odwołać bez opłat do trzech dni przed przyjazdem. Śniadanie jest podawane w sali na parterze, a goście, którzy wyjeżdżają wcześniej, mogą poprosić o kanapki. Parking znajduje się za budynkiem.',
  },
  {
    language: 'cs',
    text: 'Zboží můžete vrátit do čtrnácti dnů, pokud není použité. Peníze pošleme na účet, ze kterého jste platili, jakmile balík dorazí do skladu. Poštovné při vrácení platí zákazník, když není vada na naší straně.',
  },
  {
    language: 'hu',
    text: 'A szoba délután két órától foglalható el, és tizenegyig kell elhagyni. A reggeli az árban benne van, de a parkolásért külön kell fizetni. Ha később érkezik, kérjük, hogy előre telefonáljon.',
  },
  {
    language: 'ro',
    text: 'Comanda poate fi anulată până când coletul este predat curierului. Dacă produsul nu vă place, îl puteți returna în treizeci de zile, iar banii se întorc în cont după ce verificăm pachetul.',
  },
  {
    language: 'tr',
    text: 'Odalar saat ikiden sonra hazır olur ve öğlene kadar boşaltılması gerekir. Kahvaltı fiyata dahildir, ama otopark için ayrıca ödeme yapılır. Erken gelecekseniz lütfen bir gün önce bizi arayın.',
  },
  {
    language: 'ru',
    text: 'Номер можно отменить без оплаты за три дня до приезда. Завтрак подают на первом этаже с семи до десяти часов, а тем, кто уезжает раньше, мы готовим бутерброды. Стоянка находится за домом.',
  },
  {
    language: 'uk',
    text: 'Замовлення можна скасувати, поки посилку не передали кур’єру. Якщо товар не підійшов, його приймуть назад протягом двох тижнів, але упаковка повинна бути цілою. Гроші повертаються на картку.',
  },
  {
    language: 'bg',
    text: 'Стаята може да се откаже безплатно до три дни преди пристигането. Закуската се сервира на първия етаж, а за паркинга се плаща отделно. Ако закъснеете, моля обадете се на рецепцията.',
  },
  {
    language: 'el',
    text: 'Το δωμάτιο μπορεί να ακυρωθεί χωρίς χρέωση μέχρι τρεις μέρες πριν από την άφιξη. Το πρωινό σερβίρεται στο ισόγειο και οι πελάτες που φεύγουν νωρίς μπορούν να ζητήσουν ένα πακέτο.',
  },
  {
    language: 'vi',
    text: 'Phòng có thể được hủy miễn phí cho đến ba ngày trước khi nhận phòng. Bữa sáng được phục vụ ở tầng trệt và những khách đi sớm có thể xin một phần ăn mang theo. Bãi đỗ xe ở phía sau tòa nhà.',
  },
]
