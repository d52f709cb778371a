title: 'Ship 🚢 it'
