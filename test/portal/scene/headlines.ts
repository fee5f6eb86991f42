/**
 * What newsrooms of the world write: every script, both directions, marks that join, and texts as
 * long as nobody expects.
 */
export const headlines: readonly string[] = [
  'Fire at the old harbour',
  'Überfall auf Schließfächer: Täter flüchtig',
  'Élections : la participation en forte hausse',
  'Ñoquis, señales y cigüeñas en el puerto',
  'Пожар в старом порту',
  'Πυρκαγιά στο παλιό λιμάνι',
  'حريق في الميناء القديم',
  'שריפה בנמל הישן',
  'חדשות 24: רעידת אדמה בעוצמה 6.1',
  '旧港で火災、けが人なし',
  '旧港口发生火灾',
  '옛 항구에서 화재',
  'पुराने बंदरगाह में आग',
  'ไฟไหม้ท่าเรือเก่า',
  'Հրդեհ հին նավահանգստում',
  'ხანძარი ძველ ნავსადგურში',
  'Cháy ở cảng cũ',
  '🔥 Harbour fire 👩‍🚒👨‍👩‍👧‍👦 🇺🇦 ends',
  'Z̸̢̛a̷l̶g̸o̵ e\u0301 a\u0308 o\u0302\u0323 n\u0303',
  '=1+2 is what the finance minister said',
  '<b>Storm</b> & "quotes" \'everywhere\'',
  'A line\nand another',
  `${'Long '.repeat(59)}end.`,
  'ひ'.repeat(300),
  'Unbreakable'.repeat(27).slice(0, 300),
];

/** The apps of a newsroom: eight systems, each sends and receives. */
export const systems: readonly string[] = [
  'ncs-desk',
  'mam-fennel',
  'playout-one',
  'graphics-karaoke',
  'prompter-三番',
  'studio-automation',
  'planning-Ωμέγα',
  'archive-أرشيف',
];

/** Names of apps beside them, in every script. */
export const appNames: readonly string[] = [
  'Wetter',
  'Sport',
  'スポーツ',
  'رياضة',
  'Спорт',
  'ספורט',
  '体育',
  'खेल',
];
