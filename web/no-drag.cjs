// Stands for @dnd-kit, 14 KB compressed: no list of the portal is put in order by hand, and the
// layout imports one that could be.
module.exports = { KeyboardCode: {} };
